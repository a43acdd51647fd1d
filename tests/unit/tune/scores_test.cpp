// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

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

TEST(TuneScores, WithoutRepeatedLaunchesNothingIsSaidOfTheRegret) {
  const Rounds rounds = {{.is_short = true, .values = {{0, 1.0}, {1, 2.0}}}};
  const std::vector<std::size_t> points = {0, 1};
  EXPECT_TRUE(std::isnan(regret_bounds(rounds, scores_of(rounds, points), 0.95, 1.7).all));
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

}  // namespace
}  // namespace stepbench::tune
