// SPDX-License-Identifier: Apache-2.0
// Number of steps of a window: whole epochs or none, whole blocks.
#include "harness/schedule/schedule.h"

#include "tests/testing.h"

namespace stepbench::schedule {
namespace {

std::int64_t borders_in(std::int64_t per_epoch, std::int64_t begin, std::int64_t steps) {
  std::int64_t borders = 0;
  for (std::int64_t step = begin; step < begin + steps; ++step) {
    if (step > 0 && step % per_epoch == 0) ++borders;
  }
  return borders;
}

TEST(EpochWindow, ShortEpochs_FillItWhole) {
  EXPECT_EQ(fit_epochs({.per_epoch = 0, .refill = 18}, 50).active, 50);
  EXPECT_EQ(fit_epochs({.per_epoch = 0, .refill = 18}, 50).epochs, 0);
  EXPECT_EQ(steps_past_border({.per_epoch = 0, .refill = 18}, 50, 13), 0);
  const EpochFit fit = fit_epochs({.per_epoch = 16}, 50);
  EXPECT_EQ(fit.active, 64);
  EXPECT_EQ(fit.epochs, 4);
  EXPECT_EQ(fit_epochs({.per_epoch = 25}, 50).active, 50);
  for (std::int64_t begin = 1; begin < 100; ++begin) {
    EXPECT_EQ(borders_in(16, begin, fit.active), fit.epochs) << begin;
  }
}

TEST(EpochWindow, EpochNearTheWindow_IsHeldWhole) {
  EXPECT_EQ(fit_epochs({.per_epoch = 68, .refill = 18}, 50).active, 68);
  EXPECT_EQ(fit_epochs({.per_epoch = 68, .refill = 18}, 50).epochs, 1);
  EXPECT_EQ(fit_epochs({.per_epoch = 69, .refill = 18}, 50).epochs, 1);
  EXPECT_EQ(fit_epochs({.per_epoch = 70, .refill = 18}, 50).active, 50);
  EXPECT_EQ(fit_epochs({.per_epoch = 70, .refill = 18}, 50).epochs, 0);
}

TEST(EpochWindow, OnlyWhole_RoundsToEpochs) {
  const EpochSteps steps{.per_epoch = 101, .refill = 10, .only_whole = true};
  EXPECT_EQ(fit_epochs(steps, 50).active, 101);
  EXPECT_EQ(fit_epochs(steps, 150).active, 202);
}

TEST(EpochWindow, LongEpochs_KeepBordersOutside) {
  const std::int64_t active = 50;
  for (const std::int64_t per_epoch : {70, 71, 100, 1000}) {
    for (const std::int64_t refill : {0, 1, 18}) {
      const EpochSteps steps{.per_epoch = per_epoch, .refill = refill};
      for (std::int64_t begin = 0; begin < 3 * per_epoch; ++begin) {
        const std::int64_t more = steps_past_border(steps, active, begin);
        ASSERT_GE(more, 0);
        const std::int64_t clear_from = begin + more - refill;
        ASSERT_EQ(borders_in(per_epoch, clear_from + 1, active + refill - 1), 0)
            << per_epoch << ' ' << refill << ' ' << begin;
        ASSERT_EQ(borders_in(per_epoch, begin + more, active + 1), 0) << "nor is the next a border";
        ASSERT_EQ(steps_past_border(steps, active, begin + more), 0) << "it is in its place";
      }
    }
  }
}

TEST(EpochWindow, ClearWindow_StaysInPlace) {
  const EpochSteps steps{.per_epoch = 100, .refill = 18};
  EXPECT_EQ(steps_past_border(steps, 50, 0), 0) << "the launch's first step is no border";
  EXPECT_EQ(steps_past_border(steps, 50, 49), 0);
  EXPECT_EQ(steps_past_border(steps, 50, 50), 68) << "at step 118, 18 steps after the border";
  EXPECT_EQ(steps_past_border(steps, 50, 110), 8);
  EXPECT_EQ(steps_past_border(steps, 50, 118), 0);
}

TEST(WindowFit, Window_IsWholeBlocks) {
  EXPECT_EQ(rounded_up(50, 1), 50);
  EXPECT_EQ(rounded_up(50, 4), 52);
  EXPECT_EQ(rounded_up(52, 4), 52);
  EXPECT_EQ(rounded_up(1, 12), 12);
  EXPECT_NEAR(window_sd(0.3, 4, 96), 0.0455, 0.0005);
  EXPECT_NEAR(window_sd(0.3, 4, 120), 0.0403, 0.0005);
  EXPECT_NEAR(static_cast<double>(steps_for_sd(0.3, 4, 0.01)), 1933, 2);
  EXPECT_NEAR(static_cast<double>(steps_for_sd(0.3, 8, 0.01)), 2812, 2);
  EXPECT_NEAR(window_sd(0, 6, 200), 0.01, 1e-12);
  EXPECT_EQ(steps_for_sd(0, 6, 0.01), 200);
}

}  // namespace
}  // namespace stepbench::schedule
