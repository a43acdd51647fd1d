// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "harness/stats/random.h"

namespace stepbench::stats {
namespace {

TEST(Bootstrap, SameSamplesGiveTheSameInterval) {
  const std::vector<double> a{10, 11, 12, 13, 14, 15};
  const std::vector<double> b{11, 12, 13, 14, 15, 17};
  const Interval first = bootstrap_ratio_of_medians(a, b, 0.95);
  const Interval again = bootstrap_ratio_of_medians(a, b, 0.95);
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
  EXPECT_LT(first.low, 13.5 / 12.5);
  EXPECT_GT(first.high, 13.5 / 12.5);
}

TEST(Bootstrap, OfOneValueEachIsTheirRatio) {
  const Interval interval = bootstrap_ratio_of_medians(std::vector{4.0}, std::vector{5.0}, 0.95);
  EXPECT_EQ(interval.low, 1.25);
  EXPECT_EQ(interval.high, 1.25);
}

TEST(Bootstrap, WithoutDataIsNotANumber) {
  EXPECT_TRUE(std::isnan(bootstrap_ratio_of_medians({}, std::vector{5.0}, 0.95).low));
  EXPECT_TRUE(std::isnan(bootstrap_ratio_of_medians(std::vector{5.0}, {}, 0.95).high));
}

// The median of five draws from {1..5} is 1 with P(Bin(5, 1/5) >= 3) = 0.05792: below the 5.8 %
// point, not the 5.7 %.
TEST(Bootstrap, FollowsTheBinomialLawOfAResampledMedian) {
  const std::vector<double> one{1.0};
  const std::vector<double> five{1, 2, 3, 4, 5};
  EXPECT_EQ(bootstrap_ratio_of_medians(one, five, 1 - 2 * 0.048, 99999).low, 1);
  EXPECT_EQ(bootstrap_ratio_of_medians(one, five, 1 - 2 * 0.068, 99999).low, 2);
}

TEST(Bootstrap, ScalesWithTheCandidate) {
  const std::vector<double> a{10, 11, 12, 13, 14, 15, 19};
  const std::vector<double> b{11, 12, 13, 14, 15, 17, 18};
  const Interval interval = bootstrap_ratio_of_medians(a, b, 0.95);
  EXPECT_GE(interval.low, 11.0 / 19);
  EXPECT_LE(interval.high, 18.0 / 10);
  EXPECT_LE(interval.low, interval.high);
}

}  // namespace
}  // namespace stepbench::stats
