// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/import.h"

#include "harness/base/error.h"
#include "harness/estimate/case_rows.h"
#include "harness/text/time_text.h"
#include "tests/testing.h"
#include "tests/unit/nights/made_night.h"

namespace stepbench::report {
namespace {

using testing_history::MadeNight;

nights::ImportOptions at_that_time() {
  // 2026-02-01T00:00:00Z
  return {.now = std::chrono::system_clock::time_point(std::chrono::seconds(1769904000))};
}

nights::Import import_made(const MadeNight& made) {
  return nights::import_of(testing_history::make(made), "results/RUN", at_that_time());
}

const nights::CasePoint& point_named(const std::vector<nights::CasePoint>& points,
                                     const std::string& metric) {
  for (const nights::CasePoint& point : points) {
    if (point.metric == metric) return point;
  }
  throw Error("no point " + metric);
}

std::vector<nights::CasePoint> points_of(const nights::ImportedCase& one) {
  std::vector<nights::LaunchValues> values;
  for (const nights::ImportedLaunch& launch : one.launches) values.push_back(launch.values);
  return nights::case_points(values);
}

TEST(Import, Point_IsTheTablesValue) {
  MadeNight made;
  made.step_ns = [](const std::string&, int launch) {
    return std::int64_t{10'000'000 + 70'000 * ((launch * 5) % 7)};
  };
  for (const int launches : {1, 2, 5, 6, 7, 20}) {
    made.launches = launches;
    const record::Results results = testing_history::make(made);
    const estimate::CaseRow row = estimate::case_rows(results).at(0);
    const nights::Import import = nights::import_of(results, "results/RUN", at_that_time());
    const std::vector<nights::CasePoint> points = points_of(import.runs.at(0).cases.at(0));
    const nights::CasePoint& step = point_named(points, "step_ns");
    EXPECT_EQ(step.value, *row.step_ns);
    EXPECT_EQ(step.launches, launches);
    EXPECT_EQ(step.steps, 5);
    if (row.spread == estimate::Spread::kOverLaunches) {
      EXPECT_EQ(step.low, row.interval_ns.low);
      EXPECT_EQ(step.high, row.interval_ns.high);
    } else {
      EXPECT_EQ(step.low, step.value);
      EXPECT_EQ(step.high, step.value);
    }
    double sum = 0;
    for (const estimate::PhaseEstimate& phase : row.phases) {
      const double value = point_named(points, "phase." + phase.name).value;
      EXPECT_DOUBLE_EQ(value, phase.ns);
      sum += value;
    }
    EXPECT_NEAR(sum, step.value, 1e-6 * step.value);
  }
}

TEST(Import, Case_HasStepPeakAndPhaseSeries) {
  const nights::Import import = import_made({});
  std::vector<std::string> metrics;
  for (const nights::CasePoint& point : points_of(import.runs.at(0).cases.at(0))) {
    metrics.push_back(point.metric);
  }
  EXPECT_THAT(metrics, ElementsAre("peak_bytes", "phase.data_wait", "phase.other", "step_ns"));
  const nights::ImportedCase& one = import.runs.at(0).cases.at(0);
  EXPECT_TRUE(nights::series_of(one, "step_ns").monitored);
  EXPECT_TRUE(nights::series_of(one, "peak_bytes").monitored);
  EXPECT_FALSE(nights::series_of(one, "phase.other").monitored);
  EXPECT_EQ(nights::series_of(one, "peak_bytes").unit, "bytes");
}

TEST(Import, DevicePeak_WinsOverTheProcess) {
  record::Results results = testing_history::make({});
  results.columns.push_back({.name = "peak_allocated_bytes", .unit = "bytes", .doc = ""});
  for (record::Launch& launch : results.launches) {
    launch.row.report.metrics["peak_allocated_bytes"] = 5e8;
  }
  const nights::Import import = nights::import_of(results, "results/RUN", at_that_time());
  EXPECT_EQ(point_named(points_of(import.runs.at(0).cases.at(0)), "peak_bytes").value, 5e8);
}

TEST(Import, OtherLaunches_AreCountedAsOmitted) {
  for (const auto& [made, why] :
       std::vector<std::pair<MadeNight, const char*>>{{{.smoke = true}, "smoke"},
                                                      {{.arm = "a"}, "an arm of ab"},
                                                      {{.pass = Pass::kNative}, "profiled"},
                                                      {{.pass = Pass::kWrapped}, "wrapped"}}) {
    EXPECT_THAT(import_made(made).exclusions, ElementsAre(Pair(why, 6)));
    EXPECT_THAT(import_made(made).runs, IsEmpty());
  }
  record::Results ranks = testing_history::make({});
  for (int number = 0; number < 6; ++number) {
    record::Launch second = ranks.launches[static_cast<std::size_t>(number)];
    second.row.key.rank = 1;
    ranks.launches.push_back(second);
  }
  const nights::Import import = nights::import_of(ranks, "results/RUN", at_that_time());
  EXPECT_THAT(import.exclusions, ElementsAre(Pair("a rank other than 0", 6)));
  EXPECT_THAT(import.runs.at(0).cases.at(0).launches, SizeIs(6));
}

TEST(Import, FailedLaunchOrNumber_IsAGap) {
  record::Results results = testing_history::make({});
  results.launches[0].row.outcome = Outcome::failed("out of memory");
  results.launches[1].row.report.metrics["peak_rss_bytes"] = std::nullopt;
  for (auto& column : results.launches[3].samples[0].steps.columns) column.resize(4);
  const nights::Import import = nights::import_of(results, "results/RUN", at_that_time());
  EXPECT_THAT(import.exclusions, ElementsAre(Pair("failed", 1)));
  EXPECT_THAT(import.notes, ElementsAre(HasSubstr("measured 4 to 5 steps")));
  const std::vector<nights::CasePoint> points = points_of(import.runs.at(0).cases.at(0));
  EXPECT_EQ(point_named(points, "step_ns").launches, 5);
  EXPECT_EQ(point_named(points, "step_ns").steps, 0) << "unequal: no count";
  EXPECT_EQ(point_named(points, "peak_bytes").launches, 4);
  for (record::Launch& launch : results.launches) launch.row.outcome = Outcome::failed("no device");
  const nights::Import none = nights::import_of(results, "results/RUN", at_that_time());
  EXPECT_THAT(points_of(none.runs.at(0).cases.at(0)), IsEmpty());
}

TEST(Import, FutureNight_IsAcceptedAndNoted) {
  EXPECT_THAT(import_made({}).notes, IsEmpty());
  const MadeNight tomorrow{.started_utc = "2026-02-01T23:00:00Z"};
  EXPECT_THAT(import_made(tomorrow).notes, IsEmpty());
  const MadeNight later{.started_utc = "2026-02-02T01:00:00Z"};
  const nights::Import import = import_made(later);
  EXPECT_THAT(import.notes, ElementsAre(HasSubstr("dated in the future (2026-02-02T01:00:00Z)")));
  EXPECT_THAT(import.runs, SizeIs(1));
}

TEST(Import, Run_KeepsItsWorkerAndOptions) {
  const nights::Import import = import_made({});
  const nights::TrackedRun run = import.runs.at(0).run;
  EXPECT_EQ(run.experiment, "nightly");
  EXPECT_EQ(run.host, "bench1");
  EXPECT_EQ(run.build_id, "build1");
  EXPECT_EQ(run.worker_path, "/src/build/worker");
  EXPECT_EQ(run.config_text, "workload: train_step\n");
  EXPECT_EQ(run.git_sha, "5b66870");
  EXPECT_EQ(run.git_branch, "main");
  EXPECT_FALSE(run.git_dirty);
  EXPECT_TRUE(import_made({.dirty = true}).runs.at(0).run.git_dirty);
  EXPECT_EQ(run.folder, "results/RUN");
  EXPECT_EQ(text_of(run.environment, "torch"), "2.11.0");
  const Fields options(import.runs.at(0).cases.at(0).options);
  EXPECT_THAT(options, ElementsAre(Pair("device", Value{std::string("cpu")}),
                                   Pair("loader.num_workers", Value{std::int64_t{2}})))
      << "what is no default names the series";
  record::Results results = testing_history::make({});
  results.runs[0].run_id.clear();
  EXPECT_THROW((void)nights::import_of(results, "results/RUN", at_that_time()), ConfigError);
}

}  // namespace
}  // namespace stepbench::report
