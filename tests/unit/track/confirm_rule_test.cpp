// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "harness/track/confirm_rule.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::track {
namespace {

// Pairs whose second value is the first times `ratio`, with a spread of 0.5 %.
struct Pairs {
  std::vector<double> good;
  std::vector<double> tonight;

  explicit Pairs(double ratio, std::size_t count = kConfirmPairs) {
    testing_noise::Noise noise(17);
    for (std::size_t i = 0; i < count; ++i) {
      good.push_back(1e6 * std::exp(0.005 * noise.normal()));
      tonight.push_back(1e6 * ratio * std::exp(0.005 * noise.normal()));
    }
  }
  [[nodiscard]] ConfirmAnswer answer(bool higher) const { return confirm(good, tonight, higher); }
};

TEST(ConfirmRule, ReproducesAChangeOfThreePercentAsSuspected) {
  const ConfirmAnswer answer = Pairs(1.03).answer(true);
  EXPECT_TRUE(answer.judged);
  EXPECT_TRUE(answer.reproduced);
  EXPECT_NEAR(answer.change, 0.03, 0.005);
  EXPECT_LT(answer.low, answer.change);
  EXPECT_GT(answer.high, answer.change);
  EXPECT_GT(answer.low, kTellMargin);
  EXPECT_LT(answer.p, 1e-4);
  EXPECT_EQ(answer.pairs, kConfirmPairs);
  const ConfirmAnswer faster = Pairs(1 / 1.03).answer(false);
  EXPECT_TRUE(faster.reproduced);
  EXPECT_NEAR(faster.change, 1 / 1.03 - 1, 0.005);
  EXPECT_LT(faster.low, faster.high);
  EXPECT_LT(faster.high, -kTellMargin / (1 + kTellMargin));
  const ConfirmAnswer other_way = Pairs(1.03).answer(false);
  EXPECT_TRUE(other_way.judged);
  EXPECT_FALSE(other_way.reproduced);
  EXPECT_GT(other_way.p, 0.99);
  // The interval must lie beyond the margin: a small step is certain, and still no regression.
  const ConfirmAnswer small = Pairs(1.009).answer(true);
  EXPECT_LT(small.p, kConfirmP);
  EXPECT_LT(small.low, kTellMargin);
  EXPECT_FALSE(small.reproduced);
}

TEST(ConfirmRule, IsTheSameMirroredWhenTheArmsAreSwapped) {
  const Pairs pairs(1.03);
  const ConfirmAnswer up = confirm(pairs.good, pairs.tonight, true);
  const ConfirmAnswer down = confirm(pairs.tonight, pairs.good, false);
  EXPECT_EQ(up.reproduced, down.reproduced);
  EXPECT_DOUBLE_EQ(up.p, down.p);
  EXPECT_NEAR((1 + up.change) * (1 + down.change), 1, 1e-12);
  EXPECT_NEAR((1 + up.low) * (1 + down.high), 1, 1e-12);
}

TEST(ConfirmRule, SaysNothingOfTooFewPairs) {
  const ConfirmAnswer seven = Pairs(2, kMinConfirmPairs - 1).answer(true);
  EXPECT_FALSE(seven.judged);
  EXPECT_FALSE(seven.reproduced);
  EXPECT_EQ(seven.pairs, kMinConfirmPairs - 1);
  const ConfirmAnswer eight = Pairs(2, kMinConfirmPairs).answer(true);
  EXPECT_TRUE(eight.judged);
  EXPECT_TRUE(eight.reproduced);
}

TEST(ConfirmRule, DropsPairsWithoutAValueAndCountsThem) {
  Pairs pairs(1.03);
  pairs.good[3] = std::numeric_limits<double>::quiet_NaN();
  pairs.tonight[4] = 0;
  const ConfirmAnswer two = pairs.answer(true);
  EXPECT_TRUE(two.reproduced);
  EXPECT_EQ(two.pairs, kConfirmPairs - 2);
  EXPECT_EQ(two.dropped, 2u);
  pairs.tonight[5] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(pairs.answer(true).judged) << "more than a tenth is lost";
}

TEST(ConfirmRule, TakesValuesThatNeverVary) {
  const std::vector<double> good(kConfirmPairs, 4096);
  const std::vector<double> tonight(kConfirmPairs, 8192);
  EXPECT_TRUE(confirm(good, tonight, true).reproduced);
  EXPECT_DOUBLE_EQ(confirm(good, tonight, true).change, 1);
  EXPECT_FALSE(confirm(good, good, true).reproduced);
  EXPECT_DOUBLE_EQ(confirm(good, good, true).p, 1);
}

}  // namespace
}  // namespace stepbench::track
