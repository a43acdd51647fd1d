// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/change_place.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/unit/stats/noise.h"

namespace stepbench::verdict {
namespace {

using testing_noise::Noise;

std::vector<double> chances_of(std::span<const Measured> all, std::size_t places) {
  std::vector<double> logs;
  for (std::size_t place = 1; place < places; ++place) logs.push_back(log_likelihood(all, place));
  return chances(std::move(logs));
}

TEST(ChangePlace, OfAStep_IsMostLikelyWhereItIs) {
  Noise noise(41);
  std::vector<Measured> all;
  for (std::size_t place = 0; place < 30; ++place) {
    all.push_back({(place >= 12 ? .03 : 0) + .003 * noise.normal(), 9e-6, place});
  }
  const std::vector<double> chance = chances_of(all, 30);
  const PlaceRange found = range(chance, .95);
  EXPECT_EQ(found.likeliest + 1, 12U);
  EXPECT_LE(found.last - found.first, 1U);
  EXPECT_NEAR(std::accumulate(chance.begin(), chance.end(), 0.0), 1, 1e-12);
}

TEST(ChangePlace, WithinARange_AsOftenAsSaid) {
  Noise noise(42);
  int held = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto changed = 1 + static_cast<std::size_t>(noise.unit() * 19);
    std::vector<Measured> all;
    for (std::size_t place = 0; place < 20; ++place) {
      all.push_back({(place >= changed ? .01 : 0) + .005 * noise.normal(), 25e-6, place});
    }
    const PlaceRange found = range(chances_of(all, 20), .9);
    held += found.first + 1 <= changed && changed <= found.last + 1;
  }
  EXPECT_GE(held, .88 * kTrials);
}

TEST(ChangePlace, OfWhatNothingTells_IsAnywhere) {
  const std::vector<Measured> ends{{.0, 1e-6, 0}, {.02, 1e-6, 9}};
  for (const double chance : chances_of(ends, 10)) EXPECT_NEAR(chance, 1.0 / 9, 1e-9);
  const std::vector<Measured> exact{{.0, 0, 0}, {.02, 0, 1}, {.02, 0, 2}};
  EXPECT_NEAR(chances_of(exact, 3)[0], 1, 1e-6);
}

TEST(ChangePlace, TwoCopies_CountWithoutTheKeptProgram) {
  // Copies of places 4 and 5 differ, so the change is at 5, whatever the kept program's own level.
  const std::vector<Measured> all{{.05, 1e-6, 0}, {.07, 1e-6, 9}, {.02, 1e-6, 5, 4, false}};
  EXPECT_GT(chances_of(all, 10)[4], .99);
}

}  // namespace
}  // namespace stepbench::verdict
