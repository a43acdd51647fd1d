// SPDX-License-Identifier: Apache-2.0
// The one rule that decides whether two rows differ.
#include "harness/estimate/ranking.h"
#include "harness/stats/order_statistics.h"
#include "tests/testing.h"
#include "tests/unit/estimate/made_launch.h"

namespace stepbench::estimate {
namespace {

record::Results case_of(const std::vector<std::int64_t>& steps) {
  std::vector<record::Launch> launches;
  for (const std::int64_t step : steps) {
    launches.push_back(made_launch({"step_ns", "samples"}, {{step, step}, {8, 8}}));
  }
  return made_results(std::move(launches));
}

Difference reported(const std::vector<std::int64_t>& row, const std::vector<std::int64_t>& from,
                    Judged by = Judged::kStep) {
  const record::Results a = case_of(row);
  const record::Results b = case_of(from);
  return difference_between(case_rows(a).front(), case_rows(b).front(), by);
}

TEST(CaseDifference, DisjointIntervals_Differ) {
  const std::vector<std::int64_t> base = {1000, 1010, 1020, 1030, 1040, 1050};
  EXPECT_EQ(reported({900, 910, 920, 930, 940, 950}, base), Difference::kBetter);
  EXPECT_EQ(reported({1100, 1110, 1120, 1130, 1140, 1150}, base), Difference::kWorse);
  EXPECT_EQ(reported({950, 960, 970, 980, 990, 1000}, base), Difference::kSame)
      << "they share 1000";
  EXPECT_EQ(reported({900, 910, 920, 930, 940, 950}, base, Judged::kSamplesRate),
            Difference::kBetter);
}

TEST(CaseDifference, FewLaunches_DifferByMeans) {
  EXPECT_EQ(reported({500, 502, 504}, {1000, 1004, 1008}), Difference::kBetter);
  EXPECT_EQ(reported({1000, 1004, 1008}, {500, 502, 504}), Difference::kWorse);
  EXPECT_EQ(reported({990, 1000, 1003}, {1000, 1002, 1004}), Difference::kSame);
}

TEST(CaseDifference, SingleLaunches_NeedFivePercent) {
  EXPECT_EQ(reported({1040}, {1000}), Difference::kSame);
  EXPECT_EQ(reported({1100}, {1000}), Difference::kWorse);
  EXPECT_EQ(reported({900}, {1000}), Difference::kBetter);
}

TEST(CaseDifference, MissingNumber_IsEqual) {
  EXPECT_EQ(reported({1000}, {1000}, Judged::kLatency), Difference::kNoNumbers);
}

TEST(Intervals, SharedPoint_Overlaps) {
  EXPECT_TRUE(stats::overlap({1, 2}, {2, 3}));
  EXPECT_TRUE(stats::overlap({1, 9}, {2, 3}));
  EXPECT_FALSE(stats::overlap({1, 2}, {2.5, 3}));
}

}  // namespace
}  // namespace stepbench::estimate
