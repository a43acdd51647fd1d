// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/internal/search.h"

#include <random>

#include "tests/testing.h"
#include "tests/unit/tune/simulated.h"

namespace stepbench::tune {
namespace {

std::vector<Slot> run_all(PointSearch& search, const std::function<double(const Slot&)>& value) {
  std::vector<Slot> slots;
  while (const auto slot = search.next()) {
    slots.push_back(*slot);
    search.take(value(*slot));
  }
  return slots;
}

double by_point(const Slot& slot) { return 0.001 * static_cast<double>(slot.point); }

TEST(PointSearch, EachRung_KeepsAQuarter) {
  PointSearch search(48, 0, 1);
  const auto slots = run_all(search, by_point);
  ASSERT_EQ(search.rungs().size(), 3U);
  EXPECT_EQ(search.rungs()[0].points.size(), 48U);
  EXPECT_EQ(search.rungs()[1].points.size(), 12U);
  EXPECT_EQ(search.rungs()[2].points.size(), 3U);
  EXPECT_EQ(slots.size(), 2 + 48U + 2 * 12 + 4 * 3);
  EXPECT_EQ(search.remaining(), 0U);
  EXPECT_EQ(search.standing().front().point, 0U);
}

TEST(PointSearch, AnyGrid_UsesThePlannedLaunches) {
  for (std::size_t points = 1; points < 100; ++points) {
    std::size_t launches = kMinWarmLaunches;
    for (const PlannedRung& rung : planned_rungs(points)) launches += rung.points * rung.rounds;
    PointSearch search(points, points - 1, 1);
    EXPECT_EQ(launches, search.remaining()) << points;
    std::size_t left = launches;
    while (const auto slot = search.next()) {
      ASSERT_EQ(search.remaining(), left--) << points;
      search.take(by_point(*slot));
    }
    EXPECT_EQ(left, 0U) << points;
  }
  EXPECT_TRUE(planned_rungs(0).empty());
}

TEST(PointSearch, FirstLaunches_DropUntilTwoAgree) {
  const std::vector<double> cold = {.9, .5, .2, .1, .08};
  PointSearch search(12, 5, 1);
  const auto slots = run_all(
      search, [&](const Slot& slot) { return slot.warm ? cold[slot.launch] : by_point(slot); });
  for (std::size_t i = 0; i < cold.size(); ++i) {
    EXPECT_EQ(slots[i], (Slot{5, 0, i, i, true}));
  }
  EXPECT_FALSE(slots[cold.size()].warm) << ".1 and .08 agree";
  EXPECT_EQ(search.standing().front().point, 0U) << "nor do they count";
  for (std::size_t i = cold.size(); i < cold.size() + 12; ++i) {
    EXPECT_EQ(slots[i].launch, slots[i].point == 5 ? cold.size() : 0);
  }
}

TEST(PointSearch, NoAgreement_DropsSix) {
  for (const std::size_t most : {kMaxWarmLaunches, kMinWarmLaunches}) {
    PointSearch search(4, 0, 1, most);
    std::size_t warm = 0;
    run_all(search, [&](const Slot& slot) {
      warm += slot.warm ? 1 : 0;
      return static_cast<double>(slot.launch);
    });
    EXPECT_EQ(warm, most);
  }
}

TEST(PointSearch, FailingOwnPoint_IsReplaced) {
  PointSearch search(4, 2, 1);
  search.take(0);
  EXPECT_EQ(search.next()->point, 2U);
  search.exclude_point(2);
  EXPECT_EQ(search.next(), (Slot{0, 0, 0, 2, true}));
  search.take(5);
  EXPECT_TRUE(search.next()->warm) << "what another point measured says nothing of it";
  search.take(5);
  EXPECT_FALSE(search.next()->warm);
}

TEST(PointSearch, Round_HasEachPointOnce) {
  const auto first_round = [](std::uint64_t seed) {
    PointSearch search(24, 0, seed);
    std::vector<std::size_t> points;
    for (const Slot& slot : run_all(search, by_point)) {
      if (slot.rung == 0 && !slot.warm) points.push_back(slot.point);
    }
    EXPECT_EQ(std::set(points.begin(), points.end()).size(), 24U);
    EXPECT_EQ(points.size(), 24U);
    return points;
  };
  EXPECT_NE(first_round(3), first_round(4));
  EXPECT_EQ(first_round(3), first_round(3));
}

TEST(PointSearch, Drift_ChangesNoScore) {
  PointSearch quiet(16, 0, 2);
  PointSearch drifting(16, 0, 2);
  const auto value = [](const Slot& slot) {
    return 0.05 * static_cast<double>(slot.point * 5 % 16);
  };
  run_all(quiet, value);
  // The machine gets 20 % slower per round; two launches of point 0 come first.
  run_all(drifting, [&](const Slot& slot) {
    const std::size_t round = slot.warm ? 0 : slot.launch - (slot.point == 0 ? 2 : 0);
    return value(slot) + 0.2 * static_cast<double>(round);
  });
  ASSERT_EQ(quiet.standing().size(), drifting.standing().size());
  for (std::size_t i = 0; i < quiet.standing().size(); ++i) {
    EXPECT_EQ(quiet.standing()[i].point, drifting.standing()[i].point);
  }
}

TEST(PointSearch, ExcludedPoint_NeverReturns) {
  PointSearch search(12, 0, 1);
  std::set<std::size_t> out;
  while (const auto slot = search.next()) {
    ASSERT_FALSE(out.contains(slot->point));
    if (slot->point % 3 == 0) {
      search.exclude_point(slot->point);
      out.insert(slot->point);
    } else {
      search.take(-static_cast<double>(slot->point));
    }
  }
  EXPECT_EQ(out.size(), 4U);
  EXPECT_EQ(search.standing().front().point, 11U);
  EXPECT_EQ(search.bound()->points, 8U);
  PointSearch none(9, 1, 1);
  while (const auto slot = none.next()) none.exclude_point(slot->point);
  EXPECT_TRUE(none.standing().empty());
  EXPECT_FALSE(none.bound());
}

TEST(PointSearch, FailingFinalists_LeaveTheOthers) {
  PointSearch search(12, 0, 1);
  while (const auto slot = search.next()) {
    slot->rung == 0 ? search.take(by_point(*slot)) : search.exclude_point(slot->point);
  }
  EXPECT_EQ(search.standing().front().point, 3U);
  EXPECT_EQ(search.standing().size(), 9U);
}

TEST(PointSearch, PartialRound_DoesNotCount) {
  PointSearch search(12, 0, 1);
  for (int i = 0; i < 14; ++i) search.take(by_point(*search.next()));
  EXPECT_FALSE(search.bound()) << "nobody knows what launches differ by";
  // One launch of the next rung, far too good.
  ASSERT_TRUE(search.next());
  search.take(-100);
  search.stop();
  EXPECT_FALSE(search.next());
  EXPECT_EQ(search.standing().front().point, 0U);
}

// Whole searches on drawn surfaces; fixed seeds.
TEST(Bound, MeasuredPoints_HoldTheRegret) {
  std::mt19937_64 engine(7);
  int held = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Searched searched = search(draw_surface(24, engine), {.cv = 0.03}, engine());
    held += searched.regret <= searched.bound ? 1 : 0;
  }
  EXPECT_GE(held, 97);
}

// Slow first launches of all points used to break the bound.
TEST(Bound, ColdStart_HoldsTheRegret) {
  std::mt19937_64 engine(8);
  int held = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Searched searched =
        search(draw_surface(8, engine), {.cv = 0.01, .first = {.6, .3, .15}}, engine());
    held += searched.regret <= searched.bound ? 1 : 0;
  }
  EXPECT_GE(held, 97);
}

}  // namespace
}  // namespace stepbench::tune
