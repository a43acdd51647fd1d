// SPDX-License-Identifier: Apache-2.0
// Further series: metrics named by a case, and branches other than main.
#include "harness/nights/history.h"

#include "harness/base/error.h"
#include "harness/estimate/columns.h"
#include "harness/nights/internal/track_store.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/unit/nights/made_night.h"

namespace stepbench::report {
namespace {

using testing_history::MadeNight;

record::Results night_that_tracks(const std::string& metrics, int day = 3) {
  record::Results results = testing_history::make(testing_history::night(day));
  for (record::Launch& launch : results.launches) {
    launch.row.options.insert_or_assign("track.metrics", Value{metrics});
  }
  results.columns = estimate::harness_metrics();
  return results;
}

const nights::SeriesHistory* series_named(const nights::History& history,
                                          const std::string& metric) {
  for (const nights::SeriesHistory& one : history.series) {
    if (one.series.metric == metric) return &one;
  }
  return nullptr;
}

std::vector<std::string> experiments(const nights::History& history) {
  std::vector<std::string> names;
  for (const nights::TrackedRun& run : history.runs) names.push_back(run.experiment);
  return names;
}

TEST(TrackedMetrics, List_GivesNamesAndMargins) {
  const auto metrics =
      nights::tracked_metrics("step_p90=5%, samples_per_s step", estimate::harness_metrics());
  ASSERT_THAT(metrics, SizeIs(2)) << "every case has its step";
  EXPECT_EQ(metrics[0].metric, "step_p90_ns");
  EXPECT_EQ(metrics[0].margin, 0.05);
  EXPECT_EQ(metrics[1].metric, "samples_per_s");
  EXPECT_EQ(metrics[1].margin, std::nullopt);
  EXPECT_THAT(nights::tracked_metrics("", estimate::harness_metrics()), IsEmpty());
  const auto refuses = [](const std::string& names, const std::string& why) {
    EXPECT_THAT([&] { (void)nights::tracked_metrics(names, estimate::harness_metrics()); },
                ThrowsMessage<ConfigError>(HasSubstr(why)));
  };
  refuses("step_p9", "track.metrics: unknown metric 'step_p9'");
  refuses("step_p90=much", "track.metrics: 'step_p90=much': expected a share below 1 after =");
  refuses("step_p90=100%", "step_p90=5% or step_p90=0.05");
  refuses("step=5%", "its margin is track.margin.step");
  refuses("peak_bytes=5%", "its margin is track.margin.peak_bytes");
}

TEST(Margins, Case_HasThoseOfItsRun) {
  record::Results results = night_that_tracks("step_p90=5%");
  for (record::Launch& launch : results.launches) {
    if (launch.row.key.case_id.front() != 'a') continue;
    launch.row.options.insert_or_assign("track.margin.step", Value{std::string("3%")});
    launch.row.options.insert_or_assign("track.margin.peak_bytes", Value{std::string("auto")});
  }
  const test::TemporaryFolder folder;
  auto store = nights::TrackStore::open("sqlite:" + (folder / "history.db").string());
  (void)store.add(results, "results/RUN");
  const nights::History history = store.history();
  const nights::RunMargins margins(history.runs.at(0));
  for (const nights::SeriesHistory& one : history.series) {
    const bool other = one.series.case_id.front() == 'a' && one.series.metric == "step_ns";
    const double expected = one.series.metric == "step_p90_ns" ? 0.05 : other ? 0.03 : 0.01;
    EXPECT_DOUBLE_EQ(margins.of(one.series), expected) << one.series.metric;
  }
}

TEST(Margins, OverAWhole_IsRejected) {
  EXPECT_THAT(nights::margins_of({{"track.margin.step", Value{std::string("auto")}}}), IsEmpty());
  EXPECT_THAT(
      [] {
        (void)nights::margins_of({{"track.margin.step", Value{std::string("150%")}}});
      },
      ThrowsMessage<ConfigError>(HasSubstr("track.margin.step: '150%' is not a share below 1")));
}

TEST(TrackedMetrics, Series_HasItsUnitAndDirection) {
  const test::TemporaryFolder folder;
  auto store = nights::TrackStore::open("sqlite:" + (folder / "history.db").string());
  (void)store.add(night_that_tracks("step_p90 cpu_user_ns"), "results/RUN");
  const nights::History history = store.history();
  const nights::SeriesHistory* tail = series_named(history, "step_p90_ns");
  ASSERT_NE(tail, nullptr);
  EXPECT_EQ(tail->series.unit, "ns");
  EXPECT_TRUE(tail->series.monitored);
  EXPECT_EQ(tail->points.at(0).launches, 6);
  EXPECT_GE(tail->points.at(0).value, 10'000'000);
  EXPECT_EQ(series_named(history, "cpu_user_ns"), nullptr) << "no launch has it";
}

TEST(TrackedMetrics, UnknownName_IsANote) {
  const nights::Import import = nights::import_of(night_that_tracks("nonsense"), "results/RUN", {});
  EXPECT_THAT(import.notes, ElementsAre(HasSubstr("unknown metric 'nonsense'")));
  EXPECT_THAT(import.runs, SizeIs(1));
}

TEST(Branches, OtherBranch_IsNoNightOfMain) {
  const test::TemporaryFolder folder;
  auto store = nights::TrackStore::open("sqlite:" + (folder / "history.db").string());
  const auto add = [&](int day, const std::string& branch) {
    MadeNight made = testing_history::night(day);
    if (!branch.empty()) made.labels = {{"branch", Value{branch}}};
    (void)store.add(testing_history::make(made), "results/RUN");
  };
  add(1, "");
  add(2, "main");
  add(3, "dev");
  const nights::History history = store.history();
  EXPECT_THAT(experiments(history), ElementsAre("nightly", "nightly", "nightly@dev"));
  std::size_t of_main = 0;
  for (const nights::SeriesHistory& one : history.series) {
    const bool dev = one.series.experiment == "nightly@dev";
    EXPECT_THAT(one.points, SizeIs(dev ? 1 : 2)) << one.series.metric;
    of_main += dev ? 0 : 1;
  }
  EXPECT_EQ(2 * of_main, history.series.size());
}

TEST(Branches, MainBranch_IsAnOption) {
  MadeNight made = testing_history::night(1);
  made.labels = {{"branch", Value{std::string("trunk")}}};
  record::Results results = testing_history::make(made);
  for (record::Launch& launch : results.launches) {
    launch.row.options.insert_or_assign("track.main", Value{std::string("trunk")});
  }
  EXPECT_EQ(nights::import_of(results, "results/RUN", {}).runs.at(0).run.experiment, "nightly");
}

}  // namespace
}  // namespace stepbench::report
