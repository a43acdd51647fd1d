// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/trend.h"

#include <random>

#include "tests/testing.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::stats {
namespace {

// Level 1000 with a uniform ripple of +-0.5 %, from the raw generator so that it is the same
// everywhere.
std::vector<double> steady(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(n);
  for (double& value : values) value = 995 + static_cast<double>(random() % 1000) / 100;
  return values;
}

TEST(Trend, FewOrBadSteps_HaveNone) {
  EXPECT_FALSE(trend(steady(17, 1)).known);
  EXPECT_TRUE(trend(steady(18, 1)).known);
  for (const double bad : {0.0, double(NAN)}) {
    std::vector<double> values = steady(60, 1);
    values[7] = bad;
    EXPECT_FALSE(trend(values).known) << bad;
  }
}

TEST(Trend, SteadyWindowOrOutlier_IsSilent) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<double> values = steady(50, seed);
    EXPECT_FALSE(trend(values).moving) << seed;
    values[0] *= 50;
    EXPECT_FALSE(trend(values).moving) << seed;
  }
}

TEST(Trend, WarmUpInTheWindow_IsFoundWithItsEnd) {
  std::vector<double> values = steady(60, 3);
  for (std::size_t i = 0; i < 15; ++i) values[i] *= 1.3;
  const Trend result = trend(values);
  EXPECT_TRUE(result.moving);
  EXPECT_LT(result.change, -0.1);
  EXPECT_LE(result.interval.low, result.change);
  EXPECT_GE(result.interval.high, result.change);
  EXPECT_EQ(result.steady_from, 15u);
}

TEST(Trend, SlowDown_IsFound) {
  std::vector<double> values = steady(90, 4);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= 1 + 0.001 * static_cast<double>(i);
  const Trend result = trend(values);
  EXPECT_TRUE(result.moving);
  EXPECT_NEAR(result.change, 0.06, 0.01);
}

TEST(Trend, CorrelatedSteps_WidenTheInterval) {
  Noise noise(11);
  double independent = 0;
  double alike = 0;
  for (int i = 0; i < 50; ++i) {
    const Interval narrow = trend(noise.autoregressive(60, 0, 0.02)).interval;
    const Interval wide = trend(noise.autoregressive(60, 0.9, 0.02)).interval;
    independent += narrow.high - narrow.low;
    alike += wide.high - wide.low;
  }
  EXPECT_GT(alike, 1.5 * independent);
}

TEST(TheilSen, Outlier_DoesNotMoveIt) {
  EXPECT_DOUBLE_EQ(theil_sen_slope(std::vector{0.0, 2.0, 4.0, 100.0, 8.0, 10.0}), 2);
  EXPECT_TRUE(std::isnan(theil_sen_slope(std::vector{1.0})));
  EXPECT_TRUE(std::isnan(theil_sen_slope({})));
}

TEST(TheilSen, SeriesWithOwnLevels_ShareASlope) {
  const std::vector<std::vector<double>> series = {{0, 2, 4}, {100, 102}, {7}, {-5, -3, 90}};
  EXPECT_DOUBLE_EQ(pooled_theil_sen_slope(series), 2);
}

// S and p of five values that rise: scipy.stats.kendalltau counts the same ten pairs; p by
// (|S| - 1) / sqrt(n (n - 1) (2 n + 5) / 18).
TEST(MannKendall, RisingPairs_AreCounted) {
  const MannKendall rising = mann_kendall(std::vector<std::vector<double>>{{1, 2, 3, 4, 5}});
  EXPECT_EQ(rising.s, 10);
  EXPECT_NEAR(rising.p_two_sided, 0.0274862, 1e-6);
  const MannKendall mixed = mann_kendall(std::vector<std::vector<double>>{{3, 1, 2, 2}});
  EXPECT_EQ(mixed.s, -1);
  EXPECT_EQ(mixed.p_two_sided, 1);
}

TEST(MannKendall, Series_AddUp) {
  const std::vector<double> one = {1, 2, 3};
  EXPECT_NEAR(mann_kendall(std::vector<std::vector<double>>{one}).p_two_sided, 0.2963, 1e-4);
  const MannKendall many = mann_kendall(std::vector<std::vector<double>>{one, one, one, one, one});
  EXPECT_EQ(many.s, 15);
  EXPECT_NEAR(many.p_two_sided, 0.00108, 1e-4);
  EXPECT_EQ(mann_kendall({}).p_two_sided, 1);
}

// A third of 100 values is 20 runs of one value, and 13 are left over: these used to be the first
// ones.
TEST(Trend, FirstValues_CountInAnyLength) {
  for (const std::size_t size : {100, 117}) {
    std::vector<double> series(size, 1000);
    for (std::size_t i = 0; i < size; ++i) series[i] += static_cast<double>((7 * i) % 5);
    for (std::size_t i = 0; i < size / 3 - 20; ++i) series[i] *= 1.5;
    EXPECT_TRUE(trend(series).moving) << size;
    EXPECT_LT(trend(series).change, -0.05) << size;
  }
}

}  // namespace
}  // namespace stepbench::stats
