// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/answer.h"

#include "harness/estimate/ranking.h"
#include "tests/testing.h"

namespace stepbench::report {
namespace {

struct Planted {
  std::string alone;
  std::int64_t step_us = 0;
  std::int64_t wait_us = 0;  // for data
  std::int64_t num_workers = 2;
};

// Launches of a case differ by 0.1 %.
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
      made.row.options["loader.alone"] = cases[i].alone;
      // The plan raises the warm-up of a step alone.
      made.row.options["schedule.warmup"] = std::int64_t{cases[i].alone == "step" ? 10 : 5};
      const std::int64_t step = cases[i].step_us * (kNs + launch);
      const std::int64_t wait = cases[i].wait_us * (kNs + launch);
      record::CycleSamples part;
      part.steps.names = {"index", "step_ns", "data_wait_ns"};
      part.steps.columns = {{0, 1}, {step, step}, {wait, wait}};
      made.samples.push_back(std::move(part));
    }
  }
  return results;
}

std::vector<std::string> headroom_of(const record::Results& results) {
  return headroom_lines(estimate::case_rows(results), results);
}

std::string headroom_line(const std::vector<Planted>& cases, int launches = 6) {
  const auto lines = headroom_of(results_of(cases, launches));
  EXPECT_EQ(lines.size(), 1U);
  return lines.empty() ? std::string() : lines[0];
}

TEST(Headroom, PerfectLoader_SavesWaitAndSharing) {
  EXPECT_THAT(
      headroom_line({{"none", 71'000, 15'100}, {"loader", 56'000}, {"step", 50'000, 100}}),
      AllOf(StartsWith("a perfect loader would save 21.1 ms (29.6 %): 15.0 ms waiting, 6.0"),
            HasSubstr(" because the two share the machine; 20."), HasSubstr(" to 21.4 ms in all"),
            HasSubstr("; loader alone 56.1 ms, step alone 50.1 ms, both 71.2 ms")));
  EXPECT_THAT(headroom_line({{"none", 60'000}, {"step", 50'000}}),
              HasSubstr("save 10.0 ms (16.7 %): 0 ns waiting, 10.0 ms because"));
  EXPECT_THAT(headroom_line({{"none", 60'000, 30'000}, {"step", 50'000}}),
              HasSubstr("save 10.0 ms (16.7 %): 10.0 ms waiting, 0 ns because"))
      << "what the host waits while a device computes is not lost: parts sum to the whole";
}

TEST(Headroom, FewLaunches_HaveNoBounds) {
  EXPECT_THAT(headroom_line({{"none", 71'000}, {"step", 50'000}}, 2), HasSubstr("(n=2, 6 needed)"));
}

TEST(Headroom, NoLoaderAlone_ShowsTheOthers) {
  EXPECT_THAT(
      headroom_line({{"none", 71'000}, {"step", 50'000}}),
      AllOf(EndsWith("; step alone 50.1 ms, both 71.2 ms"), Not(HasSubstr("loader alone"))));
}

TEST(Headroom, LoaderInTime_SavesNothing) {
  EXPECT_THAT(headroom_line({{"none", 50'001}, {"loader", 10'000}, {"step", 50'000}}),
              AllOf(HasSubstr("would save nothing measurable with these launches: at most "),
                    EndsWith("; loader alone 10.0 ms, step alone 50.1 ms, both 50.1 ms")));
  EXPECT_THAT(headroom_line({{"none", 49'000}, {"step", 50'000}}),
              HasSubstr("would save nothing measurable with these launches; step alone"));
}

TEST(Headroom, Sweep_HasALinePerCase) {
  const record::Results results = results_of({{"none", 71'000, 0, 1},
                                              {"step", 50'000, 0, 1},
                                              {"none", 60'000, 0, 2},
                                              {"step", 50'000, 0, 2}});
  EXPECT_THAT(headroom_of(results),
              ElementsAre(HasSubstr("save 21.1 ms"), HasSubstr("save 10.0 ms")));
  EXPECT_THAT(answer_line(estimate::case_rows(results), results), HasSubstr("save 21.1 ms"));
  const auto ranking = estimate::rank(estimate::case_rows(results));
  ASSERT_TRUE(ranking);
  EXPECT_EQ(ranking->best, 2U);
}

TEST(Headroom, NoPair_HasNone) {
  EXPECT_THAT(headroom_of(results_of({{"none", 71'000, 0, 1}, {"none", 50'000, 0, 2}})), IsEmpty());
  EXPECT_THAT(headroom_of(results_of({{"none", 71'000, 0, 1}, {"step", 50'000, 0, 2}})), IsEmpty());
  EXPECT_THAT(headroom_of(results_of({{"none", 71'000}, {"loader", 50'000}})), IsEmpty());
}

TEST(Headroom, ReplayedBatches_AreNotTheBest) {
  record::Results results = results_of({{"none", 71'000, 0, 1}, {"none", 60'000, 0, 2}});
  for (record::Launch& launch : results.launches) {
    if (launch.row.options["loader.num_workers"] == Value{std::int64_t{2}}) {
      launch.row.options["loader.replay"] = std::string("stopped");
    }
  }
  EXPECT_FALSE(estimate::rank(estimate::case_rows(results)));
}

}  // namespace
}  // namespace stepbench::report
