// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule/window_fit.h"

#include <gtest/gtest.h>

namespace stepbench::schedule {
namespace {

TEST(WindowFit, AWindowIsRoundedUpToWholeBlocks) {
  EXPECT_EQ(rounded_up(50, 1), 50);
  EXPECT_EQ(rounded_up(50, 4), 52);
  EXPECT_EQ(rounded_up(52, 4), 52);
  EXPECT_EQ(rounded_up(1, 12), 12);
}

TEST(WindowFit, OneLaunchOfFourWorkersTellsTheirRateToAboutFourPercent) {
  EXPECT_NEAR(window_sd(0.3, 4, 96), 0.0455, 0.0005);
  EXPECT_NEAR(window_sd(0.3, 4, 120), 0.0403, 0.0005);
}

TEST(WindowFit, OnePercentNeedsTwoToThreeThousandSteps) {
  EXPECT_NEAR(static_cast<double>(steps_for_sd(0.3, 4, 0.01)), 1933, 2);
  EXPECT_NEAR(static_cast<double>(steps_for_sd(0.3, 8, 0.01)), 2812, 2);
}

TEST(WindowFit, EqualBatchesLeaveTheEndsOfTheWindow) {
  EXPECT_NEAR(window_sd(0, 6, 200), 0.01, 1e-12);
  EXPECT_EQ(steps_for_sd(0, 6, 0.01), 200);
}

}  // namespace
}  // namespace stepbench::schedule
