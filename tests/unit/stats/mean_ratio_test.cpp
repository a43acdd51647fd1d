// SPDX-License-Identifier: Apache-2.0
// Expected values by numpy and scipy.
#include "harness/stats/mean_ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/unit/stats/noise.h"

namespace stepbench::stats {
namespace {

TEST(MeanRatio, OfPairsIsCochrans) {
  const MeanRatio mean =
      paired_mean_ratio(std::vector{1.0, 1.1, 0.9, 1.2}, std::vector{1.3, 1.1, 1.4, 1.5}, 0.95);
  EXPECT_NEAR(mean.ratio, 1.261904761904762, 1e-12);
  EXPECT_NEAR(mean.interval.low, 0.9179930244668698, 1e-9);
  EXPECT_NEAR(mean.interval.high, 1.6058164993426542, 1e-9);
}

TEST(MeanRatio, OfUnpairedSamplesIsWelchs) {
  const MeanRatio mean =
      mean_ratio(std::vector{1.0, 1.1, 0.9, 1.2, 1.0}, std::vector{1.3, 1.1, 1.4, 1.5}, 0.95);
  EXPECT_NEAR(mean.ratio, 1.2740384615384617, 1e-12);
  EXPECT_NEAR(mean.interval.low, 1.0213539184918177, 1e-9);
  EXPECT_NEAR(mean.interval.high, 1.5267230045851057, 1e-9);
}

TEST(MeanRatio, WhatMovesBothValuesOfAPairCancels) {
  testing_noise::Noise noise(7);
  std::vector<double> a(20);
  std::vector<double> b(20);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double level = 100 * static_cast<double>(i + 1);
    a[i] = level;
    b[i] = level * (1.1 + 0.001 * noise.normal());
  }
  const MeanRatio paired = paired_mean_ratio(a, b, 0.95);
  EXPECT_LT(paired.interval.high - paired.interval.low, 0.002);
  EXPECT_GT(mean_ratio(a, b, 0.95).interval.high, 1.4);
}

TEST(MeanRatio, IsUnknownOfASingleValueAndOfNothingAtAll) {
  EXPECT_TRUE(
      std::isinf(paired_mean_ratio(std::vector{1.0}, std::vector{2.0}, 0.95).interval.high));
  EXPECT_TRUE(std::isinf(mean_ratio(std::vector{1.0, 2.0}, std::vector{2.0}, 0.95).interval.high));
  const std::vector<double> zeros(8, 0.0);
  EXPECT_EQ(paired_mean_ratio(zeros, zeros, 0.95).interval.high, 1) << "nothing became nothing";
  EXPECT_TRUE(std::isinf(mean_ratio(zeros, std::vector(8, 1.0), 0.95).interval.high));
  EXPECT_EQ(mean_ratio(std::vector(8, 2.0), std::vector(8, 3.0), 0.95).interval.low, 1.5);
}

}  // namespace
}  // namespace stepbench::stats
