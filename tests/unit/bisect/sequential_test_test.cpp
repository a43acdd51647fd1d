// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/sequential_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace stepbench::bisect {
namespace {

// Two that differ by 2 `spread` about `mean`, over and over.
std::vector<double> about(double mean, double spread, std::size_t pairs) {
  std::vector<double> values;
  for (std::size_t i = 0; i < pairs; ++i) values.push_back(mean + (i % 2 == 0 ? spread : -spread));
  return values;
}

PooledSpread spread_of(double spread, std::size_t pairs) {
  PooledSpread pooled;
  pooled.add(about(0, spread, pairs));
  return pooled;
}

TEST(SequentialTest, PoolsTheSpreadWithinComparisonsAndNotBetweenThem) {
  PooledSpread pooled;
  pooled.add(about(0.5, 0.01, 4));
  pooled.add(about(-0.5, 0.01, 4));
  EXPECT_EQ(pooled.freedom(), 6U);
  EXPECT_NEAR(pooled.variance(), 8 * 1e-4 / 6, 1e-12);
}

TEST(SequentialTest, ToldApartByHand) {
  // Four pairs at the size 0.05 itself, pooled variance s2 with f = 11 + 3: the likelihood ratio is
  // 4 * .05 * .025 / s2, the bound f/2 ((2 e)^(-2/f) - 1).
  const std::vector<double> ratios = about(0.05, 0.01, 4);
  const double variance = (12 * 1e-4 + 4 * 1e-4) / 14;
  const double likelihood = 4 * 0.05 * 0.025 / variance;
  const double bound = 7 * (std::pow(2 * 0.007, -1.0 / 7) - 1);
  ASSERT_GT(likelihood, bound);
  EXPECT_EQ(side_of(ratios, 0.05, spread_of(0.01, 12), 0.007), Side::kBad);
  EXPECT_EQ(side_of(about(0, 0.01, 4), 0.05, spread_of(0.01, 12), 0.007), Side::kGood);
}

TEST(SequentialTest, IsOpenWhereTooLittleIsKnown) {
  const PooledSpread little = spread_of(0.01, 12);
  EXPECT_EQ(side_of(about(0.01, 0.05, 4), 0.01, spread_of(0.05, 12), 0.007), Side::kOpen)
      << "noise hides the size";
  EXPECT_EQ(side_of(about(0.025, 0.01, 40), 0.05, little, 0.007), Side::kOpen) << "halfway";
  EXPECT_EQ(side_of(about(0.05, 1e-6, 1), 0.05, spread_of(1e-6, 12), 0.007), Side::kOpen)
      << "one pair";
  EXPECT_EQ(side_of(about(0.02, 0.015, 4), 0.02, PooledSpread(), 0.007), Side::kOpen)
      << "fewer degrees of freedom ask for more";
  // Programs that never vary are told apart by the nearer end.
  EXPECT_EQ(side_of(about(0.03, 0, 4), 0.05, PooledSpread(), 0.007), Side::kBad);
  EXPECT_EQ(side_of(about(0.02, 0, 4), 0.05, PooledSpread(), 0.007), Side::kGood);
}

TEST(Ends, AreOverWhenTheSizeIsFiveErrorsFromNothing) {
  const Ends clear = judge_ends(about(0.05, 0.01, 12), 0.007);
  EXPECT_TRUE(clear.worse);
  EXPECT_TRUE(clear.over);
  EXPECT_NEAR(clear.size, 0.05, 1e-12);
  const Ends faint = judge_ends(about(0.012, 0.01, 12), 0.007);
  EXPECT_TRUE(faint.worse);
  EXPECT_FALSE(faint.over);
}

TEST(Ends, AreNotHiddenByAPairFarOffAndOverAtTheLastLook) {
  std::vector<double> ratios = about(0.05, 0.01, 12);
  ratios.back() = 1.0;  // a launch of it took nearly three times as long
  const Ends ends = judge_ends(ratios, 0.007);
  EXPECT_TRUE(ends.worse);
  EXPECT_NEAR(ends.size, 0.05, 0.01);
  EXPECT_LT(ends.high, 0.1);
  const Ends nothing = judge_ends(about(0, 0.01, 40), 0.007);
  EXPECT_FALSE(nothing.worse);
  EXPECT_TRUE(nothing.over);
  EXPECT_LT(nothing.low, 0);
  EXPECT_GT(nothing.high, 0);
}

TEST(ErrorOfDecision, IsSharedByTheHalvingsAndTheLastComparison) {
  EXPECT_NEAR(error_of_decision(0.95, 64), 0.05 / 7, 1e-12);
  EXPECT_NEAR(error_of_decision(0.95, 65), 0.05 / 8, 1e-12);
  EXPECT_NEAR(error_of_decision(0.95, 1), 0.05, 1e-12);
}

}  // namespace
}  // namespace stepbench::bisect
