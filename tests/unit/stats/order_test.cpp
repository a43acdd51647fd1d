// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/order_statistics.h"
#include "harness/stats/random.h"
#include "tests/testing.h"

namespace stepbench::stats {
namespace {

std::vector<double> one_to(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Median, EvenCount_IsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median(std::vector{3.0, 1.0, 2.0}), 2);
  EXPECT_EQ(median(std::vector{4.0, 1.0, 3.0, 2.0}), 2.5);
  EXPECT_EQ(median(std::vector{7.0}), 7);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Quantile, BetweenValues_InterpolatesAsType7) {
  const std::vector<double> values{40, 10, 30, 20};
  EXPECT_EQ(quantile(values, 0), 10);
  EXPECT_EQ(quantile(values, 1), 40);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 17.5);  // numpy.quantile
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 37.0);
  EXPECT_DOUBLE_EQ(interquartile_range(values), 15);
}

TEST(RobustSd, Outlier_DoesNotMoveIt) {
  EXPECT_DOUBLE_EQ(robust_sd(std::vector{1.0, 2.0, 3.0, 4.0, 1e9}), 1.4826);
  EXPECT_EQ(robust_sd(std::vector{5.0, 5.0, 5.0}), 0);
}

TEST(MedianInterval, Ranks_AreBenchstats) {
  const std::vector<std::pair<std::size_t, Ranks>> expected = {
      {6, {1, 6}},   {8, {1, 7}},   {10, {2, 9}},  {12, {3, 10}},
      {15, {4, 12}}, {20, {6, 15}}, {25, {8, 18}}, {30, {10, 21}}};
  for (const auto& [n, ranks] : expected) {
    EXPECT_EQ(median_ranks(n, 0.95).low, ranks.low) << n;
    EXPECT_EQ(median_ranks(n, 0.95).high, ranks.high) << n;
  }
}

TEST(MedianInterval, FewerThanSixValues_HaveNone) {
  EXPECT_FALSE(median_interval(one_to(5), 0.95).has_value());
  const auto six = median_interval(one_to(6), 0.95);
  ASSERT_TRUE(six.has_value());
  EXPECT_EQ(six->low, 1);
  EXPECT_EQ(six->high, 6);
  EXPECT_FALSE(median_interval({}, 0.95).has_value());
}

TEST(MedianInterval, ManyValues_StayFiniteAndCentred) {
  const auto interval = median_interval(one_to(16384), 0.95);
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->low, 8192 - 1.96 * 64, 1.5);
  EXPECT_NEAR(interval->high, 8193 + 1.96 * 64, 1.5);
}

// Frozen: a recorded seed must give the same order of blocks in every later version.
TEST(Random, Draws_AreFrozen) {
  Random random(42);
  std::array<std::uint32_t, 6> draws{};
  for (auto& draw : draws) draw = random.below(100);
  EXPECT_EQ(draws, (std::array<std::uint32_t, 6>{75, 43, 63, 72, 75, 5}));
}

TEST(Random, Below_IsUniformAndShuffleKeepsValues) {
  Random random(1);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);  // four standard deviations
  EXPECT_EQ(random.below(1), 0u);
  std::vector<int> values{1, 2, 3, 4, 5, 6, 7, 8};
  random.shuffle(std::span(values));
  EXPECT_NE(values, (std::vector{1, 2, 3, 4, 5, 6, 7, 8}));
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, (std::vector{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(SeedOf, ValuesOrderAndStart_ChangeIt) {
  const std::vector<double> values{1, 2};
  EXPECT_EQ(seed_of(values), seed_of(std::vector{1.0, 2.0}));
  EXPECT_NE(seed_of(values), seed_of(std::vector{2.0, 1.0}));
  EXPECT_NE(seed_of(values), seed_of(values, 1));
  EXPECT_NE(seed_of({}), seed_of(std::vector{0.0}));
}

}  // namespace
}  // namespace stepbench::stats
