// SPDX-License-Identifier: Apache-2.0
// What screen and confirmation promise together, on a few series. tracking_simulation does the same
// at full size, and results/tracking_simulation.md has what came out.
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/track/lives.h"
#include "tests/unit/track/simulate.h"

namespace stepbench::testing_track {
namespace {

constexpr std::uint64_t kSeed = 20261122;

class TrackSimulation : public ::testing::TestWithParam<Noise> {};

// 27,000 nights of each; in 900,000 none is confirmed at all.
TEST_P(TrackSimulation, NothingIsConfirmedWhereNothingChanged) {
  const QuietNights quiet =
      quiet_nights({.noise = GetParam()}, track::ScreenKind::kRobustZ, 300, 100, kSeed);
  EXPECT_EQ(quiet.nights, 300u * 90);
  EXPECT_GT(quiet.fired, 100u);
  EXPECT_LE(quiet.slower_once + quiet.faster_once, 2u);
  EXPECT_EQ(quiet.slower_twice + quiet.faster_twice, 0u);
}

// The goal is 0.5 of 1,000 nights, 13 of these; what is more than 28 is no chance.
TEST_P(TrackSimulation, FewAreConfirmedWhereCodeLiesElsewhere) {
  const QuietNights between = quiet_nights({.noise = GetParam(), .layout_sd = 0.005},
                                           track::ScreenKind::kRobustZ, 300, 100, kSeed);
  EXPECT_LE(between.slower_once, 28u);
  const QuietNights of_builds =
      quiet_nights({.noise = GetParam(), .layout = Layout::kOfBuilds, .layout_sd = 0.005},
                   track::ScreenKind::kRobustZ, 300, 100, kSeed);
  EXPECT_LE(of_builds.slower_twice, 28u);
}

// 500 series: the share may be off by 4 standard deviations, 0.064 of the goal of 0.85.
TEST_P(TrackSimulation, AStepOfThreePercentIsConfirmedWithinFiveNights) {
  const FoundSteps found =
      found_steps({.noise = GetParam()}, track::ScreenKind::kRobustZ, 0.03, 500, kSeed);
  EXPECT_GE(share_within(found.twice, 5), 0.85 - 0.064);
  EXPECT_LE(median_night(found.twice), 2u);
}

TEST_P(TrackSimulation, AStepOfFivePercentIsConfirmedTheSameNight) {
  const FoundSteps found =
      found_steps({.noise = GetParam()}, track::ScreenKind::kRobustZ, 0.05, 500, kSeed);
  EXPECT_GE(share_within(found.twice, 5), 0.97);
  EXPECT_EQ(median_night(found.twice), 1u);
}

TEST_P(TrackSimulation, ALifeTellsALargeStepOnceWithItsRangeAndDoesNotCloseIt) {
  const World world{.noise = GetParam(), .layout = Layout::kOfBuilds, .layout_sd = 0.005};
  std::size_t found = 0;
  for (std::uint64_t i = 0; i < 6; ++i) {
    const Script script{.nights = 40, .program = {{25, 0.06}}};
    const Life life = live(script, world, kSeed + i);
    found += life.found_after > 0 && life.found_after <= 5 && life.right_range ? 1 : 0;
    EXPECT_FALSE(life.wrongly_fixed) << i;
    EXPECT_EQ(live(script, world, kSeed + i).red, life.red) << "the same for the same seed";
  }
  EXPECT_GE(found, 5u);
}

TEST(TrackSimulationSeed, GivesTheSameForTheSameSeed) {
  const World world{.noise = Noise::kHeavyTails, .layout = Layout::kOfBuilds, .layout_sd = 0.01};
  const QuietNights once = quiet_nights(world, track::ScreenKind::kOtava2, 10, 60, 3);
  const QuietNights again = quiet_nights(world, track::ScreenKind::kOtava2, 10, 60, 3);
  EXPECT_EQ(once.fired, again.fired);
  EXPECT_EQ(once.slower_once, again.slower_once);
  EXPECT_EQ(found_steps(world, track::ScreenKind::kRank, 0.05, 10, 3).once,
            found_steps(world, track::ScreenKind::kRank, 0.05, 10, 3).once);
}

INSTANTIATE_TEST_SUITE_P(AllNoises, TrackSimulation, ::testing::ValuesIn(kNoises),
                         [](const auto& each) {
                           std::string name;
                           for (const char c : name_of(each.param)) {
                             if (c != ' ' && c != '.') name += c;
                           }
                           return name;
                         });

}  // namespace
}  // namespace stepbench::testing_track
