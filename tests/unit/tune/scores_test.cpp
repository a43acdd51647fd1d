// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "harness/tune/memory_fit.h"
#include "tests/unit/tune/simulated.h"

namespace stepbench::tune {
namespace {

TEST(TuneScores, FullLaunchesDecideWhereThereAreAny) {
  const Rounds rounds = {{.is_short = true, .values = {{0, 1.0}, {1, 2.0}}},
                         {.is_short = false, .values = {{0, 5.0}, {1, 4.0}}}};
  const std::vector<std::size_t> points = {0, 1};
  EXPECT_EQ(scores_of(rounds, points).front().point, 1U);
  const Rounds brief = {rounds.front()};
  EXPECT_EQ(scores_of(brief, points).front().point, 0U);
  // Without repeated launches nothing is said of the regret.
  EXPECT_TRUE(std::isnan(regret_bounds(brief, scores_of(brief, points), 0.95, 1.7).all));
}

TEST(TuneScores, TheSpreadIsWhatPointsAndRoundsDoNotExplain) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal(0, 0.02);
  Rounds rounds;
  for (int r = 0; r < 400; ++r) {
    Round round;
    const double level = 0.3 * r;
    for (std::size_t point = 0; point < 5; ++point) {
      round.values.push_back({point, static_cast<double>(point) + level + normal(engine)});
    }
    rounds.push_back(std::move(round));
  }
  const ScoreSpread spread = spread_of(rounds);
  EXPECT_NEAR(spread.sd, 0.02, 0.001);
  EXPECT_EQ(spread.freedom, 4 * 399);
}

// Of whole searches on drawn surfaces; fixed seeds.
TEST(TuneScores, TheBoundOverAllPointsHoldsTheRegret) {
  std::mt19937_64 engine(7);
  int held = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Surface surface = draw_surface(24, engine);
    const Searched searched = search(surface, {.cv = 0.03}, engine(), true);
    held += searched.regret <= searched.bound_all ? 1 : 0;
    EXPECT_GE(searched.bound_all, searched.bound_final);
  }
  EXPECT_GE(held, 38);
}

TEST(MemoryFit, ThreeSizesFollowALineAndTwoSayNothing) {
  const std::vector<HeldMemory> held = {{8, 1080}, {16, 1160}, {32, 1320}};
  const auto predicted = predict_memory(held, 256);
  ASSERT_TRUE(predicted);
  EXPECT_NEAR(predicted->bytes, 3560, 1e-6);
  EXPECT_NEAR(predicted->interval.high - predicted->interval.low, 0, 1e-6);
  EXPECT_FALSE(predict_memory(std::vector<HeldMemory>{{8, 1}, {16, 2}, {16, 3}}, 32));
  EXPECT_FALSE(predict_memory({}, 32));
}

TEST(MemoryFit, TheIntervalHoldsWhatALaunchWillHold) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal(0, 20);
  int held_by_it = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<HeldMemory> held;
    for (const double batch : {8.0, 16.0, 32.0, 64.0}) {
      held.push_back({batch, 1000 + 10 * batch + normal(engine)});
    }
    const double truth = 1000 + 10 * 256 + normal(engine);
    const auto predicted = predict_memory(held, 256);
    held_by_it += predicted->interval.low <= truth && truth <= predicted->interval.high ? 1 : 0;
  }
  EXPECT_NEAR(held_by_it / static_cast<double>(kTrials), 0.95, 0.015);
}

}  // namespace
}  // namespace stepbench::tune
