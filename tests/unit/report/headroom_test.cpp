// SPDX-License-Identifier: Apache-2.0
#include "harness/report/headroom.h"

#include <gmock/gmock.h>

#include "harness/estimate/ranking.h"
#include "harness/report/answer.h"
#include "harness/report/replay_error.h"

namespace stepbench::report {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

struct Planted {
  std::string replay;
  std::int64_t step_us = 0;
  std::int64_t num_workers = 2;
};

// Launches of a case differ by one part in a thousand.
record::Results results_of(const std::vector<Planted>& cases, int launches = 6) {
  constexpr std::int64_t kNs = 1000;
  record::Results results;
  results.runs.push_back({.run_id = "20260131-120000-demo", .name = "demo"});
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (int launch = 0; launch < launches; ++launch) {
      record::Launch& made = results.launches.emplace_back();
      made.row.key = {.case_id = std::to_string(i + 1) + "abcdef123456789", .launch = launch};
      made.row.workload = "train_step";
      made.row.options["loader.num_workers"] = cases[i].num_workers;
      made.row.options["loader.replay"] = cases[i].replay;
      // The plan raises the warm-up of cases that replay.
      made.row.options["schedule.warmup"] = std::int64_t{cases[i].replay == "none" ? 5 : 10};
      const std::int64_t step = cases[i].step_us * (kNs + launch);
      record::CycleSamples part;
      part.steps.names = {"index", "step_ns"};
      part.steps.columns = {{0, 1}, {step, step}};
      made.samples.push_back(std::move(part));
    }
  }
  return results;
}

std::vector<std::string> headroom_of(const record::Results& results) {
  return headroom_lines(estimate::case_rows(results), results);
}

TEST(Headroom, OfAPerfectLoader_IsWaitingAndCores) {
  const auto line = [](const std::vector<Planted>& cases, int launches = 6) {
    const auto lines = headroom_of(results_of(cases, launches));
    EXPECT_EQ(lines.size(), 1U);
    return lines.empty() ? std::string() : lines[0];
  };
  EXPECT_THAT(
      line({{"none", 71'000}, {"working", 56'000}, {"stopped", 50'000}}),
      AllOf(StartsWith("a perfect loader would save 21.1 ms (29.6 %): 15.0 ms waiting, 6.0"),
            HasSubstr("; 20."), HasSubstr(" to 21.4 ms in all")));
  EXPECT_THAT(line({{"none", 60'000}, {"working", 61'000}, {"stopped", 50'000}}),
              HasSubstr("save 10.0 ms (16.7 %): 0 ns waiting, 10.0 ms because"))
      << "parts that launches contradict sum to the whole";
  EXPECT_THAT(line({{"none", 71'000}, {"stopped", 50'000}}),
              HasSubstr("would save 21.1 ms (29.6 %); 20."))
      << "without workers all of it is waiting";
  EXPECT_THAT(line({{"none", 50'001}, {"working", 50'000}, {"stopped", 50'000}}),
              HasSubstr("would save nothing that these launches can tell: at most "));
  EXPECT_THAT(line({{"none", 49'000}, {"working", 50'000}, {"stopped", 50'000}}),
              ::testing::EndsWith("would save nothing that these launches can tell"));
  EXPECT_THAT(line({{"none", 71'000}, {"stopped", 50'000}}, 2), HasSubstr("(n=2, 6 needed)"));
}

TEST(Headroom, EachCaseOfASweepHasItsOwnLineAndNoReplayIsTakenForTheBest) {
  const record::Results results = results_of(
      {{"none", 71'000, 1}, {"stopped", 50'000, 1}, {"none", 60'000, 2}, {"stopped", 50'000, 2}});
  EXPECT_THAT(headroom_of(results),
              ElementsAre(HasSubstr("save 21.1 ms"), HasSubstr("save 10.0 ms")));
  EXPECT_THAT(answer_line(estimate::case_rows(results), results), HasSubstr("save 21.1 ms"));
  const auto ranking = estimate::rank(estimate::case_rows(results));
  ASSERT_TRUE(ranking);
  EXPECT_EQ(ranking->best, 2U);
}

TEST(ReplayError, StandsBesideTheLoaderItself) {
  const record::Results results = results_of({{"none", 50'000}, {"recorded", 51'000}});
  EXPECT_THAT(replay_error_lines(estimate::case_rows(results), results),
              ElementsAre(AllOf(
                  StartsWith("replayed arrivals give 51.1 ms where the loader gives 50.1 ms: +2.00 "
                             "% (+1.50 % to +2.50 %)"))));
  EXPECT_THAT(answer_line(estimate::case_rows(results), results), StartsWith("replayed arrivals"));
}

// The training thread waits for data and for a CPU in these shares of the steps.
void plant_waits(record::Results& results, const std::string& replay, double data, double cpu) {
  for (record::Launch& launch : results.launches) {
    if (to_text(launch.row.options["loader.replay"]) != replay) continue;
    auto& steps = launch.samples[0].steps;
    const auto step_ns = static_cast<double>(steps.columns[1][0]);
    const auto wait_ns = static_cast<std::int64_t>(data * step_ns);
    steps.names.emplace_back("data_wait_ns");
    steps.columns.push_back({wait_ns, wait_ns});
    launch.row.machine["window_ns"] = static_cast<std::int64_t>(2 * step_ns);
    launch.row.machine["window_run_queue_wait_ns"] = static_cast<std::int64_t>(2 * cpu * step_ns);
  }
}

// As measured on a machine of which others used 94 %: the CPU of the loader is not played back.
TEST(ReplayError, WithoutTheWaitsForACpuASlowStepIsAsLongAsBesideTheLoader) {
  record::Results results = results_of({{"none", 14'160}, {"recorded", 12'740}}, 2);
  plant_waits(results, "none", 0.001, 0.154);
  plant_waits(results, "recorded", 0.0003, 0.06);
  const auto lines = replay_error_lines(estimate::case_rows(results), results);
  EXPECT_THAT(lines, ElementsAre(AllOf(HasSubstr(": -10.0 %;"), HasSubstr("CPU 15.4 %"),
                                       HasSubstr("6.0 % when replayed"), HasSubstr("0.0"))));
}

TEST(ReplayError, NothingIsSaidOfACpuWhereTheStepWaitsForDataOrBothWaitAlike) {
  const auto line = [](double data, double cpu_of_replay) {
    record::Results results = results_of({{"none", 14'000}, {"recorded", 13'000}}, 2);
    plant_waits(results, "none", data, 0.154);
    plant_waits(results, "recorded", data, cpu_of_replay);
    return replay_error_lines(estimate::case_rows(results), results).at(0);
  };
  EXPECT_THAT(line(0, 0), HasSubstr("waited for a CPU"));
  EXPECT_THAT(line(0.2, 0), Not(HasSubstr("waited for a CPU")));
  EXPECT_THAT(line(0, 0.15), Not(HasSubstr("waited for a CPU")));
}

TEST(ReplayError, OfFewLaunchesHasNoBoundsAndWithoutAPairIsNone) {
  const auto lines_of = [](const record::Results& results) {
    return replay_error_lines(estimate::case_rows(results), results);
  };
  EXPECT_THAT(
      lines_of(results_of({{"none", 50'000}, {"recorded", 49'000}}, 2)),
      ElementsAre("replayed arrivals give 49.0 ms where the loader gives 50.0 ms: -2.00 %"));
  EXPECT_THAT(lines_of(results_of({{"none", 50'000, 1}, {"recorded", 49'000, 2}})), IsEmpty());
  EXPECT_THAT(lines_of(results_of({{"none", 50'000, 1}, {"stopped", 49'000, 1}})), IsEmpty());
  EXPECT_THAT(headroom_of(results_of({{"none", 71'000, 1}, {"none", 50'000, 2}})), IsEmpty());
  EXPECT_THAT(headroom_of(results_of({{"none", 71'000, 1}, {"stopped", 50'000, 2}})), IsEmpty());
}

}  // namespace
}  // namespace stepbench::report
