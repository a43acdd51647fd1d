// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/pairs.h"

#include "tests/testing.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::verdict {
namespace {

constexpr double kLayout = 0.005;
constexpr std::size_t kLast = 12;

// Each place once against the kept program, which itself is off by `offset`.
std::vector<Measured> row_of(Noise& noise, std::size_t changed, double step, double offset) {
  std::vector<Measured> row;
  for (std::size_t place = 1; place <= kLast; ++place) {
    row.push_back({.value = offset + (place >= changed ? step : 0) + kLayout * noise.normal(),
                   .variance = kLayout * kLayout,
                   .place = place});
  }
  return row;
}

std::vector<double> chances_of(const std::vector<Measured>& row, double offset_variance) {
  std::vector<double> logs;
  for (std::size_t place = 1; place <= kLast; ++place) {
    logs.push_back(log_likelihood(row, place, offset_variance));
  }
  return chances(logs);
}

TEST(ChangePoint, ClearStep_IsFoundAtAnyOffset) {
  Noise noise(3);
  for (std::size_t changed = 2; changed <= kLast; ++changed) {
    const std::vector<Measured> row = row_of(noise, changed, 0.05, 0.1);
    EXPECT_EQ(likeliest(chances_of(row, 0), 0.98).best + 1, changed);
  }
}

TEST(ChangePoint, SmallStep_HasHonestChances) {
  Noise noise(5);
  int held = 0;
  double said = 0;
  constexpr int kRows = 2000;
  for (int i = 0; i < kRows; ++i) {
    const std::size_t changed = 2 + static_cast<std::size_t>(i) % (kLast - 1);
    const double offset = kLayout * noise.normal();
    const std::vector<double> chance =
        chances_of(row_of(noise, changed, 2 * kLayout, offset), kLayout * kLayout);
    const Places places = likeliest(chance, 0.9);
    held += places.first + 1 <= changed && changed <= places.last + 1 ? 1 : 0;
    for (std::size_t at = places.first; at <= places.last; ++at) said += chance[at];
  }
  EXPECT_GE(said / kRows, 0.9);
  EXPECT_NEAR(held / double{kRows}, said / kRows, 0.03);
}

TEST(ChangePoint, NeighbourPairs_ShowTheDifference) {
  std::vector<Measured> row = {{.value = 0.05, .variance = 1e-4, .place = kLast}};
  const std::vector<double> before = chances_of(row, 1e-6);
  EXPECT_NEAR(before[2], 1.0 / kLast, 1e-9) << "the ends tell nothing of the place";
  row.push_back(
      {.value = 0.05, .variance = 1e-4, .place = 3, .base = 2, .against_good_end = false});
  const std::vector<double> shown = chances_of(row, 1e-6);
  EXPECT_EQ(likeliest(shown, 0.9).best, 2U);
  row.back().value = 0;
  EXPECT_LT(chances_of(row, 1e-6)[2], before[2]);
}

TEST(ChangePoint, UninformativePairs_HaveNone) {
  const std::vector<Measured> row = {{.value = 0.05, .variance = 1e-4, .place = 2}};
  EXPECT_EQ(log_likelihood(row, 3), -std::numeric_limits<double>::infinity());
  EXPECT_NEAR(chances_of(row, 0)[5], 1.0 / kLast, 1e-12) << "offset and step are one number";
}

TEST(ChangePoint, Range_GrowsToTheLikelierSide) {
  const std::vector<double> chance = {0.05, 0.2, 0.5, 0.15, 0.1};
  const Places some = likeliest(chance, 0.8);
  EXPECT_EQ(some.first, 1U);
  EXPECT_EQ(some.best, 2U);
  EXPECT_EQ(some.last, 3U);
  const Places all = likeliest(chance, 1.1);
  EXPECT_EQ(all.last - all.first, 4U);
}

}  // namespace
}  // namespace stepbench::verdict
