// SPDX-License-Identifier: Apache-2.0
#include "harness/track/told_rule.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/track/bridge.h"

namespace stepbench::track {
namespace {

// Measured to .2 % (one standard error), another pair of builds each.
AlertMeasurement measured(double change, const std::string& builds, bool closing = false) {
  constexpr double kHalf = 0.0033;
  return {.reproduced = change - kHalf > 0.01,
          .change = change,
          .low = change - kHalf,
          .high = change + kHalf,
          .p = 0.001,
          .pairs = 20,
          .night = "night " + builds,
          .builds = builds,
          .closing = closing};
}

Telling told(const std::vector<double>& changes, bool higher = true) {
  std::vector<AlertMeasurement> all;
  for (const double change : changes) {
    all.push_back(measured(change, "b" + std::to_string(all.size())));
  }
  return telling_of(all, higher);
}

TEST(ToldRule, TellsALargeChangeWithOnePairOfBuildsAndASmallOneWithSeveral) {
  EXPECT_EQ(told({0.05}), Telling::kTold);
  EXPECT_EQ(told({0.022}), Telling::kReproduced);
  EXPECT_EQ(told({0.022, 0.022}), Telling::kReproduced);
  EXPECT_EQ(told({0.024, 0.024, 0.024}), Telling::kTold);
}

TEST(ToldRule, DropsASuspicionAfterTwoPairsOfBuildsAndNotAfterOne) {
  EXPECT_EQ(told({}), Telling::kUnmeasured);
  EXPECT_EQ(told({0.001}), Telling::kDoubtful);
  EXPECT_EQ(told({0.001, 0.002}), Telling::kDismissed);
  EXPECT_EQ(told({0.005, 0.02}), Telling::kReproduced) << "a step may hide once";
  EXPECT_EQ(told({0.016, 0.016, 0.016, 0.016, 0.016}), Telling::kDismissed) << "five are enough";
}

TEST(ToldRule, OfAStepAfterASpikeLeavesOutTheNightsInWhichItWasNotThereYet) {
  EXPECT_EQ(told({0.001, 0.03}), Telling::kTold);
  std::vector<AlertMeasurement> faster = {measured(-0.001, "a b"), measured(-0.03, "c d")};
  faster[1].reproduced = true;
  EXPECT_EQ(telling_of(faster, false), Telling::kTold);
  EXPECT_EQ(told({0.03, 0.001}), Telling::kReproduced) << "what came later counts";
  EXPECT_EQ(told({0.012, 0.029}), Telling::kReproduced) << "and what was half there";
  std::vector<AlertMeasurement> life = {measured(0.001, "a b"), measured(0.03, "c d")};
  EXPECT_NEAR(told_change(life), 0.03, 1e-9);
  life[1].night = life[0].night;
  EXPECT_EQ(telling_of(life, true), Telling::kReproduced) << "of one night all count";
}

TEST(ToldRule, TakesTheSameBuildsForOneHoweverOftenTheyAreMeasured) {
  const std::vector<AlertMeasurement> twice = {measured(0.001, "a b"), measured(0.003, "a b")};
  EXPECT_EQ(telling_of(twice, true), Telling::kDoubtful);
  const std::vector<AlertMeasurement> there = {measured(0.024, "a b"), measured(0.024, "a b"),
                                               measured(0.024, "a b"), measured(0.024, "a b")};
  EXPECT_EQ(telling_of(there, true), Telling::kReproduced) << "the layout is the same every time";
}

TEST(ToldRule, LooksTheWayThatIsSuspected) {
  std::vector<AlertMeasurement> faster = {measured(-0.05, "a b")};
  faster[0].reproduced = true;
  EXPECT_EQ(telling_of(faster, false), Telling::kTold);
  EXPECT_EQ(telling_of(faster, true), Telling::kDoubtful);
}

TEST(ToldRule, ClosesOnlyAfterTwoLowMeasurementsInARow) {
  std::vector<AlertMeasurement> life = {measured(0.04, "a b")};
  const auto close = [&](double change) {
    life.push_back(measured(change, "c" + std::to_string(life.size()), true));
    return is_gone(life, true);
  };
  EXPECT_FALSE(close(0.001)) << "one low measurement closes nothing";
  EXPECT_FALSE(close(0.04)) << "it is there";
  EXPECT_FALSE(close(0.001));
  EXPECT_TRUE(close(0.002));
  EXPECT_DOUBLE_EQ(told_change(life), 0.04) << "closing measurements do not count";
}

TEST(ToldRule, KeepsARegressionOpenWhoseHalfIsThereStill) {
  std::vector<AlertMeasurement> life = {measured(0.025, "a b"), measured(0.009, "c", true),
                                        measured(0.009, "d", true)};
  EXPECT_FALSE(is_gone(life, true));
}

TEST(ToldRule, CountsALayoutThatSeveralPairsShareAsOften) {
  const auto of = [](const std::vector<std::string>& builds) {
    std::vector<AlertMeasurement> all;
    for (const std::string& pair : builds) all.push_back(measured(0.022, pair));
    return telling_of(all, true);
  };
  EXPECT_EQ(of({"a 1", "b 2", "c 3", "d 4"}), Telling::kTold);
  EXPECT_EQ(of({"a 1", "a 2", "a 3", "a 4"}), Telling::kReproduced) << "it may be a that is fast";
  EXPECT_EQ(of({"a 1", "b 1", "c 1", "d 1"}), Telling::kReproduced) << "or 1 that is slow";
}

TEST(ToldRule, HoldsAChangeAgainstTheMarginOfItsSeries) {
  const auto with_margin = [](double change, double margin) {
    AlertMeasurement one = measured(change, "a b");
    one.margin = margin;
    one.reproduced = change - 0.0033 > margin;
    return telling_of(std::vector{one}, true);
  };
  EXPECT_EQ(with_margin(0.05, 0.01), Telling::kTold);
  EXPECT_EQ(with_margin(0.05, 0.04), Telling::kReproduced);
  EXPECT_EQ(with_margin(0.05, 0.06), Telling::kDoubtful);
  EXPECT_EQ(with_margin(0.022, 0), Telling::kTold) << "the layout of builds stays as it is";
  EXPECT_EQ(with_margin(0.015, 0), Telling::kReproduced);
}

TEST(Bridge, IsDueEveryNightOfAYoungLevelAndThenWeekly) {
  EXPECT_TRUE(bridge_is_due(9, "2026-01-09T02:00:00Z", "2026-01-10T02:00:00Z"));
  EXPECT_FALSE(bridge_is_due(10, "2026-01-09T02:00:00Z", "2026-01-15T02:00:00Z"));
  EXPECT_TRUE(bridge_is_due(10, "2026-01-09T03:00:00Z", "2026-01-16T02:00:00Z"));
  EXPECT_TRUE(bridge_is_due(10, "", "2026-01-16T02:00:00Z"));
}

TEST(Bridge, SeesAChangeEitherWayBeyondLaunchesAndLayout) {
  const std::vector<double> kept = {100, 101, 99, 100};
  EXPECT_FALSE(bridge_answer(kept, std::vector<double>{100.2, 101.4, 99.1, 100.5}).reproduced);
  const ConfirmAnswer slower = bridge_answer(kept, std::vector<double>{103, 104.1, 102, 103});
  EXPECT_TRUE(slower.reproduced);
  EXPECT_NEAR(slower.change, 0.03, 0.001);
  EXPECT_TRUE(bridge_answer(kept, std::vector<double>{97, 98, 96, 97}).reproduced);
  EXPECT_FALSE(bridge_answer({}, {}).judged);
  EXPECT_FALSE(bridge_answer(kept, std::vector<double>{0, 0, 97, 97}).judged);
}

}  // namespace
}  // namespace stepbench::track
