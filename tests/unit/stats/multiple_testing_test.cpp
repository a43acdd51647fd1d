// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/stats/benjamini_hochberg.h"

namespace stepbench::stats {
namespace {

TEST(BenjaminiHochberg, GivesThePublishedAdjustedValues) {
  const std::vector<double> p{.001, .008, .039, .041, .042, .06, .074, .205, .212, .216};
  const std::vector<double> expected{.01, .04, .084, .084, .084, .1, .1057, .216, .216, .216};
  const FalseDiscovery result = benjamini_hochberg(p);
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_NEAR(result.adjusted[i], expected[i], 5e-5) << i;
    EXPECT_EQ(result.rejected(i, 0.05), i < 2) << i;
  }
}

TEST(BenjaminiHochberg, DoesNotDependOnTheOrderOfTheTests) {
  std::vector<double> p{.2, .01, .03, .01, .5};
  const FalseDiscovery forward = benjamini_hochberg(p);
  std::reverse(p.begin(), p.end());
  const FalseDiscovery backward = benjamini_hochberg(p);
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_EQ(forward.adjusted[i], backward.adjusted[p.size() - 1 - i]);
  }
}

TEST(BenjaminiHochberg, CountsButDoesNotRankWhatIsNotANumber) {
  const FalseDiscovery result = benjamini_hochberg(std::vector<double>{.04, NAN, .5});
  EXPECT_EQ(result.family, 2u);
  EXPECT_EQ(result.not_a_number, 1u);
  EXPECT_DOUBLE_EQ(result.adjusted[0], .08);
  EXPECT_TRUE(std::isnan(result.adjusted[1]));
  EXPECT_FALSE(result.rejected(1, 0.05));
  EXPECT_TRUE(benjamini_hochberg({}).adjusted.empty());
}

}  // namespace
}  // namespace stepbench::stats
