// SPDX-License-Identifier: Apache-2.0
#include "harness/track/creep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/unit/stats/noise.h"

namespace stepbench::track {
namespace {

// Rises by `slope` a night, as a share of the first level.
std::vector<double> creeping(std::size_t count, double slope, double cv = 0.003) {
  testing_noise::Noise noise(23);
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = 1e6 * (1 + slope * static_cast<double>(i)) * std::exp(cv * noise.normal());
  }
  return values;
}

TEST(Creep, FindsTheBestNightsOfALevelThatRisesSlowly) {
  const auto found = creep(creeping(80, 0.0005), true, 0.01);
  ASSERT_TRUE(found);
  EXPECT_LT(found->best, 12u);
  EXPECT_NEAR(found->change, 0.037, 0.006);
  EXPECT_NEAR(found->best_level, 1e6, 4e3);
}

TEST(Creep, OfAMetricWhereMoreIsBetterItIsAFall) {
  EXPECT_TRUE(creep(creeping(80, -0.0005), false, 0.01));
  EXPECT_FALSE(creep(creeping(80, 0.0005), false, 0.01));
  EXPECT_FALSE(creep(creeping(80, -0.0005), true, 0.01));
}

TEST(Creep, LooksBackNinetyNights) {
  std::vector<double> values(40, 900.0);
  values.insert(values.end(), 60, 1000.0);
  ASSERT_TRUE(creep(values, true, 0.01));
  EXPECT_LT(creep(values, true, 0.01)->best, 40u);
  values.insert(values.end(), 40, 1000.0);
  EXPECT_FALSE(creep(values, true, 0.01)) << "the better level is forgotten";
}

TEST(Creep, ALuckyNightIsNoLevel) {
  std::vector<double> values(60, 1000.0);
  values[20] = 500;
  EXPECT_FALSE(creep(values, true, 0.01));
}

TEST(Creep, SaysNothingOfNoiseOrOfAFewNights) {
  EXPECT_FALSE(creep(creeping(80, 0), true, 0.01));
  EXPECT_FALSE(creep(creeping(9, 0.02), true, 0.01));
  EXPECT_FALSE(creep({}, true, 0.01));
}

TEST(Creep, TakesOnlyNightsThatCanBeMeasuredAgain) {
  const std::vector<double> values = creeping(80, 0.0005);
  const auto found = creep(values, true, 0.01, [](std::size_t night) { return night >= 30; });
  ASSERT_TRUE(found);
  EXPECT_GE(found->best, 30u);
  EXPECT_FALSE(creep(values, true, 0.01, [](std::size_t) { return false; }));
}

TEST(Creep, IsDueOnceAWeek) {
  EXPECT_TRUE(creep_is_due("", "2026-03-01T02:00:00Z"));
  EXPECT_FALSE(creep_is_due("2026-02-23T02:00:00Z", "2026-03-01T02:00:00Z"));
  EXPECT_TRUE(creep_is_due("2026-02-22T23:00:00Z", "2026-03-01T02:00:00Z"));
  EXPECT_TRUE(creep_is_due("2025-12-31", "2026-01-07"));
  EXPECT_TRUE(creep_is_due("no date", "2026-03-01T02:00:00Z"));
  EXPECT_TRUE(creep_is_due("2026-02-30T00:00:00Z", "2026-03-01T02:00:00Z"));
}

}  // namespace
}  // namespace stepbench::track
