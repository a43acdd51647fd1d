// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/internal/tune_agenda.h"

#include <random>

#include "tests/testing.h"

namespace stepbench::tune {
namespace {

TEST(MemoryFit, ThreeSizes_FollowALine) {
  const std::vector<MeasuredMemory> held = {{8, 1080}, {16, 1160}, {32, 1320}};
  const auto predicted = predict_memory(held, 256);
  ASSERT_TRUE(predicted);
  EXPECT_NEAR(predicted->bytes, 3560, 1e-6);
  EXPECT_NEAR(predicted->interval.high - predicted->interval.low, 0, 1e-6);
  EXPECT_FALSE(predict_memory(std::vector<MeasuredMemory>{{8, 1}, {16, 2}, {16, 3}}, 32));
  EXPECT_FALSE(predict_memory({}, 32));
}

TEST(MemoryFit, Interval_HoldsTheMemory) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal(0, 20);
  int held_by_it = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<MeasuredMemory> held;
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
