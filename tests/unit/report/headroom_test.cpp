// SPDX-License-Identifier: Apache-2.0
#include "harness/report/headroom.h"

#include <gmock/gmock.h>

#include "harness/estimate/ranking.h"
#include "harness/report/answer.h"

namespace stepbench::report {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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

TEST(Headroom, SplitsWhatAPerfectLoaderSavesIntoWaitingAndTheCoresOfItsWorkers) {
  const auto lines =
      headroom_of(results_of({{"none", 71'000}, {"working", 56'000}, {"stopped", 50'000}}));
  EXPECT_THAT(
      lines, ElementsAre(AllOf(
                 StartsWith("a perfect loader would save 21.1 ms (29.6 %): 15.0 ms waiting, 6.0"),
                 HasSubstr("because its workers take CPU; 20."), HasSubstr(" to 21.4 ms in all"))));
}

TEST(Headroom, PartsThatLaunchesContradictStillSumToTheWhole) {
  EXPECT_THAT(headroom_of(results_of({{"none", 60'000}, {"working", 61'000}, {"stopped", 50'000}})),
              ElementsAre(HasSubstr("save 10.0 ms (16.7 %): 0 ns waiting, 10.0 ms because")));
}

TEST(Headroom, WithoutWorkersAllOfItIsWaiting) {
  EXPECT_THAT(headroom_of(results_of({{"none", 71'000}, {"stopped", 50'000}})),
              ElementsAre(HasSubstr("would save 21.1 ms (29.6 %); 20.")));
}

TEST(Headroom, OfALoaderThatKeepsUpNothingIsSaid) {
  EXPECT_THAT(headroom_of(results_of({{"none", 50'001}, {"working", 50'000}, {"stopped", 50'000}})),
              ElementsAre(HasSubstr("would save nothing that these launches can tell: at most ")));
  EXPECT_THAT(headroom_of(results_of({{"none", 49'000}, {"working", 50'000}, {"stopped", 50'000}})),
              ElementsAre("a perfect loader would save nothing that these launches can tell"));
}

TEST(Headroom, OfFewLaunchesItIsNoVerdict) {
  EXPECT_THAT(headroom_of(results_of({{"none", 71'000}, {"stopped", 50'000}}, 2)),
              ElementsAre(HasSubstr("too few launches to call it (n=2, 6 needed)")));
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

TEST(Headroom, WithoutReplayedCasesThereIsNone) {
  EXPECT_THAT(headroom_of(results_of({{"none", 71'000, 1}, {"none", 50'000, 2}})), IsEmpty());
  EXPECT_THAT(headroom_of(results_of({{"none", 71'000, 1}, {"stopped", 50'000, 2}})), IsEmpty());
}

}  // namespace
}  // namespace stepbench::report
