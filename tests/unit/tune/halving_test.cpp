// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/halving.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <vector>

namespace stepbench::tune {
namespace {

constexpr double kLogMargin = 0.01;

std::vector<Slot> run_all(Halving& halving, const std::function<double(const Slot&)>& value) {
  std::vector<Slot> slots;
  while (const auto slot = halving.next()) {
    slots.push_back(*slot);
    halving.take(value(*slot));
  }
  return slots;
}

TEST(Halving, AQuarterGoesOnFromEachRung) {
  Halving halving(48, 1, kLogMargin);
  // The noise keeps the last three from being told apart early.
  const auto slots = run_all(halving, [](const Slot& slot) {
    return 0.001 * static_cast<double>(slot.point) +
           0.02 * static_cast<double>(slot.launch * 7 % 3) * (slot.point % 2 == 0 ? 1 : -1);
  });
  ASSERT_EQ(halving.rungs().size(), 3U);
  EXPECT_EQ(halving.rungs()[0].points.size(), 48U);
  EXPECT_EQ(halving.rungs()[1].points.size(), 12U);
  EXPECT_EQ(halving.rungs()[2].points.size(), 3U);
  EXPECT_EQ(slots.size(), 48U + 2 * 12 + 4 * 3);
  EXPECT_EQ(halving.remaining(), 0U);
}

TEST(Halving, TakesWhatWasPlannedWhereNoPointLeavesEarly) {
  for (std::size_t points = 2; points < 100; ++points) {
    std::size_t launches = 0;
    for (const PlannedRung& rung : planned_rungs(points, points)) {
      launches += rung.points * rung.rounds;
      EXPECT_EQ(rung.brief, points >= kFewestPoints && rung.points == points);
    }
    EXPECT_EQ(launches, Halving(points, 1, kLogMargin).remaining()) << points;
  }
  EXPECT_TRUE(planned_rungs(12, 0).empty());
  EXPECT_EQ(planned_rungs(12, 5).front().points, 5U);
}

TEST(Halving, ARoundHasEveryPointOnceInAnOrderOfItsSeed) {
  const auto first_round = [](std::uint64_t seed) {
    Halving halving(24, seed, kLogMargin);
    const auto slots = run_all(halving, [](const Slot& slot) {
      return std::abs(static_cast<double>(slot.point) - 17) / 10;
    });
    EXPECT_EQ(halving.standing().at(0).point, 17U) << "the best one wins without noise";
    std::vector<std::size_t> points;
    for (const Slot& slot : slots) {
      if (slot.rung == 0) points.push_back(slot.point);
    }
    EXPECT_EQ(std::set(points.begin(), points.end()).size(), 24U);
    EXPECT_EQ(points.size(), 24U);
    return points;
  };
  EXPECT_NE(first_round(3), first_round(4));
}

TEST(Halving, ADriftOfTheMachineChangesNoScoreBetweenRounds) {
  Halving quiet(16, 2, kLogMargin);
  Halving drifting(16, 2, kLogMargin);
  const auto value = [](const Slot& slot) {
    return 0.05 * static_cast<double>(slot.point * 5 % 16);
  };
  run_all(quiet, value);
  // From round to round the machine gets slower by 20 %.
  run_all(drifting,
          [&](const Slot& slot) { return value(slot) + 0.2 * static_cast<double>(slot.launch); });
  ASSERT_EQ(quiet.standing().size(), drifting.standing().size());
  for (std::size_t i = 0; i < quiet.standing().size(); ++i) {
    EXPECT_EQ(quiet.standing()[i].point, drifting.standing()[i].point);
    EXPECT_NEAR(quiet.standing()[i].score, drifting.standing()[i].score, 1e-12);
  }
}

TEST(Halving, APointThatIsFarBehindLeavesTheLastRungEarly) {
  Halving halving(8, 9, kLogMargin);
  const auto slots = run_all(halving, [](const Slot& slot) {
    return 0.3 * static_cast<double>(slot.point) +
           0.0001 * static_cast<double>((slot.launch * 13 + slot.point * 5) % 7);
  });
  EXPECT_EQ(halving.standing().size(), 1U);
  EXPECT_EQ(halving.standing().front().point, 0U);
  EXPECT_LT(slots.size(), 8U + 2 * 2 + 4 * 2);
  // It began the rung all the same.
  EXPECT_EQ(halving.rungs().back().points.size(), 2U);
}

TEST(Halving, APointThatIsTakenOutNeverComesAgain) {
  Halving halving(12, 1, kLogMargin);
  std::set<std::size_t> out;
  while (const auto slot = halving.next()) {
    ASSERT_FALSE(out.contains(slot->point));
    if (slot->point % 3 == 0) {
      halving.take_out(slot->point);
      out.insert(slot->point);
    } else {
      halving.take(-static_cast<double>(slot->point));
    }
  }
  EXPECT_EQ(out.size(), 4U);
  EXPECT_EQ(halving.standing().front().point, 11U);
  Halving none(9, 1, kLogMargin);
  while (const auto slot = none.next()) none.take_out(slot->point);
  EXPECT_TRUE(none.standing().empty());
}

TEST(Halving, FewPointsAllGoTheWholeWay) {
  Halving halving(5, 1, kLogMargin);
  const auto slots = run_all(halving, [](const Slot& slot) {
    return 0.01 * static_cast<double>((slot.launch * 3 + slot.point * 7) % 5);
  });
  EXPECT_EQ(slots.size(), 5U * 6);
  for (const Slot& slot : slots) EXPECT_EQ(slot.rung, kRungs - 1);
}

TEST(Halving, ARoundThatIsNotWholeDoesNotCount) {
  Halving halving(12, 1, kLogMargin);
  for (int i = 0; i < 12; ++i) halving.take(0.1 * static_cast<double>(halving.next()->point));
  // One launch of the next rung, far too good.
  ASSERT_TRUE(halving.next());
  halving.take(-100);
  halving.stop();
  EXPECT_FALSE(halving.next());
  EXPECT_EQ(halving.standing().front().point, 0U);
  EXPECT_EQ(halving.standing().size(), 12U);
}

}  // namespace
}  // namespace stepbench::tune
