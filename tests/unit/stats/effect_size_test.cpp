// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/effect_size.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "harness/stats/mann_kendall.h"
#include "harness/stats/theil_sen.h"

namespace stepbench {
namespace {

TEST(EffectSize, CountsPairsInWhichTheCandidateIsAbove) {
  const std::vector<double> a{1, 2, 3};
  const std::vector<double> b{2, 3, 4};
  EXPECT_DOUBLE_EQ(cles(a, b), 7.0 / 9);
  EXPECT_DOUBLE_EQ(cles(a, a), 0.5);
  EXPECT_DOUBLE_EQ(cliffs_delta(a, b), 5.0 / 9);
  EXPECT_DOUBLE_EQ(paired_cles(std::vector{1.0, -1.0, 0.0, 2.0}), 0.625);
  EXPECT_TRUE(std::isnan(paired_cles({})));
  EXPECT_TRUE(std::isnan(cles({}, b)));
}

TEST(PairsNeeded, IsTheWorkedExample) {
  EXPECT_EQ(pairs_needed(0.02, 0.0145, 0.01), 18u);
  EXPECT_EQ(pairs_needed(0.0, 0.0145, 0.01), 18u);
  EXPECT_EQ(pairs_needed(-0.02, 0.0145, 0.01), 18u);
}

TEST(PairsNeeded, NearTheMarginIsBoundedByAQuarterOfIt) {
  EXPECT_EQ(pairs_needed(0.01, 0.0145, 0.01), pairs_needed(0.0125, 0.0145, 0.01));
  EXPECT_EQ(pairs_needed(0.01, 0.5, 0.01), kMostPairsNeeded + 1);
}

TEST(PairsNeeded, IsFiniteWithoutNoiseOrMargin) {
  EXPECT_EQ(pairs_needed(0.02, 0, 0.01), 0u);
  EXPECT_EQ(pairs_needed(0, 0, 0), 0u);
  EXPECT_EQ(pairs_needed(0, 0.01, 0), kMostPairsNeeded + 1);
  EXPECT_EQ(pairs_needed(NAN, 0.01, 0.01), kMostPairsNeeded + 1);
}

TEST(TheilSen, IsUnmovedByAnOutlier) {
  EXPECT_DOUBLE_EQ(theil_sen_slope(std::vector{0.0, 2.0, 4.0, 100.0, 8.0, 10.0}), 2);
  EXPECT_TRUE(std::isnan(theil_sen_slope(std::vector{1.0})));
  EXPECT_TRUE(std::isnan(theil_sen_slope({})));
}

TEST(TheilSen, OfSeriesWithLevelsOfTheirOwnIsOneSlope) {
  const std::vector<std::vector<double>> series = {{0, 2, 4}, {100, 102}, {7}, {-5, -3, 90}};
  EXPECT_DOUBLE_EQ(pooled_theil_sen_slope(series), 2);
}

// S and p of five values that rise: scipy.stats.kendalltau counts the same ten pairs; p by
// (|S| - 1) / sqrt(n (n - 1) (2 n + 5) / 18).
TEST(MannKendall, CountsPairsThatRise) {
  const MannKendall rising = mann_kendall(std::vector<std::vector<double>>{{1, 2, 3, 4, 5}});
  EXPECT_EQ(rising.s, 10);
  EXPECT_NEAR(rising.p_two_sided, 0.0274862, 1e-6);
  const MannKendall mixed = mann_kendall(std::vector<std::vector<double>>{{3, 1, 2, 2}});
  EXPECT_EQ(mixed.s, -1);
  EXPECT_EQ(mixed.p_two_sided, 1);
}

TEST(MannKendall, SeriesAddUp) {
  const std::vector<double> one = {1, 2, 3};
  EXPECT_NEAR(mann_kendall(std::vector<std::vector<double>>{one}).p_two_sided, 0.2963, 1e-4);
  const MannKendall many = mann_kendall(std::vector<std::vector<double>>{one, one, one, one, one});
  EXPECT_EQ(many.s, 15);
  EXPECT_NEAR(many.p_two_sided, 0.00108, 1e-4);
  EXPECT_EQ(mann_kendall({}).p_two_sided, 1);
}

}  // namespace
}  // namespace stepbench
