// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/claimed_size.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/unit/stats/noise.h"

namespace stepbench::stats {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr Interval kAnywhere = {-10, 100};

TEST(ClaimedSize, IsTheEstimateWhereNothingWasSelected) {
  const std::vector<ClaimLook> looks = {{.values = 10, .bound = -50, .claimed = true}};
  EXPECT_NEAR(size_given_claim(3, 1, looks, kAnywhere), 3, 1e-3);
  const std::vector<ClaimLook> late = {{.values = 10, .bound = kNever},
                                       {.values = 20, .bound = kNever},
                                       {.values = 40, .bound = -50, .claimed = true}};
  EXPECT_NEAR(size_given_claim(3, 1, late, kAnywhere), 3, 1e-3);
}

// Of a normal value that is cut off at c the median is where the part above c is halved:
// x = t + z(1 - (1 - F(c - t)) / 2). For t = 1, c = 2: 1 + z(1 - .158655 / 2) = 2.4096.
TEST(ClaimedSize, AfterOneLookIsThatOfANormalLawCutOffAtTheBound) {
  const std::vector<ClaimLook> looks = {{.values = 10, .bound = 2, .claimed = true}};
  EXPECT_NEAR(size_given_claim(2.4096, 1, looks, kAnywhere), 1, 2e-3);
}

TEST(ClaimedSize, StaysInItsRange) {
  const std::vector<ClaimLook> looks = {{.values = 10, .bound = 2, .claimed = true}};
  EXPECT_NEAR(size_given_claim(2.0001, 1, looks, {1, 5}), 1, 1e-3) << "just over the bound";
  EXPECT_DOUBLE_EQ(size_given_claim(2.5, 0, looks, {1, 5}), 2.5) << "no spread, no chance";
}

struct Walk {
  double estimate = 0;
  bool claimed_last = false;
};

// Means of 10, 20 and 40 normal values, stopped by bounds at the looks before the last.
Walk walk(testing_noise::Noise& noise, double effect, const std::vector<ClaimLook>& looks) {
  double sum = 0;
  double values = 0;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const double more = looks[i].values - values;
    sum += effect * more + std::sqrt(more * 10) * noise.normal();
    values = looks[i].values;
    if ((sum / values > looks[i].bound) != looks[i].claimed) return {};
  }
  return {sum / values, true};
}

// Half of what is claimed at the last look is said to be smaller than it is.
TEST(ClaimedSize, IsAsOftenTooSmallAsTooLargeAtEachOfThreeLooks) {
  const std::vector<ClaimLook> all = {
      {.values = 10, .bound = 2.4}, {.values = 20, .bound = 1.7}, {.values = 40, .bound = 1.2}};
  testing_noise::Noise noise(4711);
  for (std::size_t last = 0; last < all.size(); ++last) {
    std::vector<ClaimLook> looks(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(last + 1));
    looks.back().claimed = true;
    const double se = std::sqrt(10 / looks.back().values);
    for (const double effect : {1.0, 2.0}) {
      int claims = 0;
      int smaller = 0;
      int raw_smaller = 0;
      while (claims < 3000) {
        const Walk one = walk(noise, effect, looks);
        if (!one.claimed_last) continue;
        ++claims;
        smaller += size_given_claim(one.estimate, se, looks, kAnywhere) < effect;
        raw_smaller += one.estimate < effect;
      }
      EXPECT_NEAR(smaller / 3000.0, 0.5, 0.035) << "look " << last << ", effect " << effect;
      if (last == 0) {
        EXPECT_LT(raw_smaller, 1200) << "what is claimed looks larger than it is";
      }
    }
  }
}

}  // namespace
}  // namespace stepbench::stats
