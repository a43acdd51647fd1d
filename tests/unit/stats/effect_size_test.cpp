// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/effect_size.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace stepbench::stats {
namespace {

TEST(EffectSize, CountsPairsInWhichTheCandidateIsAbove) {
  const std::vector<double> a{1, 2, 3};
  const std::vector<double> b{2, 3, 4};
  EXPECT_DOUBLE_EQ(cles(a, b), 7.0 / 9);
  EXPECT_DOUBLE_EQ(cles(a, a), 0.5);
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
  EXPECT_EQ(pairs_needed(0.01, 0.5, 0.01), kMaxPairsNeeded + 1);
}

TEST(PairsNeeded, IsFiniteWithoutNoiseOrMargin) {
  EXPECT_EQ(pairs_needed(0.02, 0, 0.01), 0u);
  EXPECT_EQ(pairs_needed(0, 0, 0), 0u);
  EXPECT_EQ(pairs_needed(0, 0.01, 0), kMaxPairsNeeded + 1);
  EXPECT_EQ(pairs_needed(NAN, 0.01, 0.01), kMaxPairsNeeded + 1);
}

}  // namespace
}  // namespace stepbench::stats
