// SPDX-License-Identifier: Apache-2.0
#include "harness/track/told_rule.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/track/bridge.h"
#include "harness/track/one_sided.h"

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

TEST(ToldRule, TellsAfterSeveralPairsOfBuildsUnlessItIsLarge) {
  const auto reproduced = Telling::kReproduced;
  const auto dismissed = Telling::kDismissed;
  for (const auto& [changes, telling] : std::vector<std::pair<std::vector<double>, Telling>>{
           {{0.05}, Telling::kTold},
           {{0.022}, reproduced},
           {{0.022, 0.022}, reproduced},
           {{0.024, 0.024, 0.024}, Telling::kTold},
           {{}, Telling::kUnmeasured},
           {{0.001}, Telling::kDoubtful},
           {{0.001, 0.002}, dismissed},
           {{0.005, 0.02}, reproduced},  // a step may hide once
           {{0.016, 0.016, 0.016, 0.016, 0.016}, dismissed},
           // In the nights of a spike a step was not there yet; what came later counts.
           {{0.001, 0.03}, Telling::kTold},
           {{0.03, 0.001}, reproduced},
           {{0.012, 0.029}, reproduced}}) {
    EXPECT_EQ(told(changes), telling) << ::testing::PrintToString(changes);
  }
}

TEST(ToldRule, OfAStepAfterASpikeLeavesOutTheNightsInWhichItWasNotThereYet) {
  std::vector<AlertMeasurement> faster = {measured(-0.001, "a b"), measured(-0.03, "c d")};
  faster[1].reproduced = true;
  EXPECT_EQ(telling_of(faster, false), Telling::kTold);
  std::vector<AlertMeasurement> life = {measured(0.001, "a b"), measured(0.03, "c d")};
  EXPECT_NEAR(told_change(life), 0.03, 1e-9);
  life[1].night = life[0].night;
  EXPECT_EQ(telling_of(life, true), Telling::kReproduced) << "of one night all count";
}

TEST(ToldRule, CountsALayoutThatSeveralPairsShareAsOne) {
  const auto of = [](double change, const std::vector<std::string>& builds) {
    std::vector<AlertMeasurement> all;
    for (const std::string& pair : builds) all.push_back(measured(change, pair));
    return telling_of(all, true);
  };
  EXPECT_EQ(of(0.001, {"a b", "a b"}), Telling::kDoubtful) << "the same builds are one";
  EXPECT_EQ(of(0.024, {"a b", "a b", "a b", "a b"}), Telling::kReproduced);
  EXPECT_EQ(of(0.022, {"a 1", "b 2", "c 3", "d 4"}), Telling::kTold);
  EXPECT_EQ(of(0.022, {"a 1", "a 2", "a 3", "a 4"}), Telling::kReproduced) << "a may be fast";
  EXPECT_EQ(of(0.022, {"a 1", "b 1", "c 1", "d 1"}), Telling::kReproduced) << "or 1 slow";
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
  life = {measured(0.025, "a b"), measured(0.009, "c", true), measured(0.009, "d", true)};
  EXPECT_FALSE(is_gone(life, true)) << "half of it is there still";
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

// '+' worse, '-' better; 'n' worse and not reproduced; 'o' worse and not measured.
AlertLog alerts_of(const std::string& kinds) {
  AlertLog log;
  for (const char kind : kinds) {
    Alert alert;
    alert.worse = kind != '-';
    AlertSeries series;
    if (kind != 'o') series.measured.push_back({.reproduced = kind != 'n'});
    alert.series.push_back(series);
    log.alerts.push_back(alert);
  }
  return log;
}

TEST(OneSided, WarnsOfThirtyConfirmedChangesThatAllGoOneWay) {
  const std::string worse(30, '+');
  for (const std::string& silent :
       {std::string(), worse.substr(1), "-" + worse.substr(1), worse.substr(1) + "no"}) {
    EXPECT_TRUE(one_sided_warning(alerts_of(silent)).empty()) << silent;
  }
  for (const auto& [warned, way] :
       std::vector<std::pair<std::string, std::string>>{{worse, "for the worse"},
                                                        {std::string(30, '-'), "for the better"},
                                                        {"-" + worse, "for the worse"},
                                                        {worse + "no", "for the worse"}}) {
    EXPECT_NE(one_sided_warning(alerts_of(warned)).find(way), std::string::npos) << warned;
  }
}

}  // namespace
}  // namespace stepbench::track
