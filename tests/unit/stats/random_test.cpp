// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace stepbench::stats {
namespace {

// Frozen: a recorded seed must give the same order of blocks in every later version.
TEST(Random, DrawsAreFrozen) {
  Random random(42);
  std::array<std::uint32_t, 6> draws{};
  for (auto& draw : draws) draw = random.below(100);
  EXPECT_EQ(draws, (std::array<std::uint32_t, 6>{75, 43, 63, 72, 75, 5}));
}

TEST(Random, BelowIsUniform) {
  Random random(1);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);  // four standard deviations
}

TEST(Random, BelowOneIsZero) {
  Random random(1);
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, ShuffleKeepsTheValues) {
  Random random(5);
  std::vector<int> values{1, 2, 3, 4, 5, 6, 7, 8};
  random.shuffle(std::span(values));
  EXPECT_NE(values, (std::vector{1, 2, 3, 4, 5, 6, 7, 8}));
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, (std::vector{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(SeedOf, DependsOnValuesOrderAndStart) {
  const std::vector<double> values{1, 2};
  EXPECT_EQ(seed_of(values), seed_of(std::vector{1.0, 2.0}));
  EXPECT_NE(seed_of(values), seed_of(std::vector{2.0, 1.0}));
  EXPECT_NE(seed_of(values), seed_of(values, 1));
  EXPECT_NE(seed_of({}), seed_of(std::vector{0.0}));
}

}  // namespace
}  // namespace stepbench::stats
