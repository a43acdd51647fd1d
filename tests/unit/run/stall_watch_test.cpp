// SPDX-License-Identifier: Apache-2.0
#include "harness/run/stall_watch.h"

#include <gmock/gmock.h>

namespace stepbench::run {
namespace {

using protocol::Stage;
using ::testing::HasSubstr;

constexpr std::int64_t kMs = 1'000'000;
constexpr StallRule kOnTheHost{.lead_steps = 10, .window_steps = 50, .host_alone = true};
constexpr StallRule kOnADevice{.lead_steps = 10, .window_steps = 50};
constexpr std::int64_t kByStepS = 60 * 60 * kNsPerS;

TEST(StallWatch, CountsStepsAtTheirLimitWhileNoTimeIsKnown) {
  StallWatch watch{kOnTheHost};
  watch.stage({Stage::kWarmup}, 0);
  EXPECT_EQ(watch.silence_ns(), kByStepS);
  EXPECT_EQ(watch.limit().name, "limits.step_s x steps per cycle");
}

TEST(StallWatch, KnowsAWindowByTheArrivalOfTheStagesBeforeIt) {
  StallWatch watch{kOnTheHost};
  watch.stage({Stage::kWarmup}, 5 * kMs);
  watch.stage({Stage::kActive}, 25 * kMs);
  EXPECT_EQ(watch.silence_ns(), 10 * kNsPerS + 20 * 2 * kMs * 50);
  EXPECT_EQ(watch.limit().name, "limits.stall_s: auto, 10 s + 20 x 2.00 ms per step x 50 steps");
}

TEST(StallWatch, DoesNotTakeTheArrivalOfADevicesCommandsForItsWork) {
  StallWatch watch{kOnADevice};
  watch.stage({Stage::kWarmup}, 5 * kMs);
  watch.stage({Stage::kActive}, 25 * kMs);
  EXPECT_EQ(watch.silence_ns(), kByStepS);
  watch.cycle(1 * kMs);
  watch.stage({Stage::kWarmup}, 90'000 * kMs);
  EXPECT_EQ(watch.silence_ns(), kByStepS);
}

TEST(StallWatch, DoesNotTakeTwoMessagesAtOnceForAWarmUp) {
  StallWatch watch{kOnTheHost};
  watch.stage({Stage::kWarmup}, 5 * kMs);
  watch.stage({Stage::kActive}, 5 * kMs + 1000);
  EXPECT_EQ(watch.silence_ns(), kByStepS);
}

TEST(StallWatch, BelievesAWorkerThatTellsTimeAndSteps) {
  StallWatch watch{kOnADevice};
  watch.stage({Stage::kWarmup}, 0);
  watch.stage({Stage::kActive, 96, 3 * kMs}, 30 * kMs);
  EXPECT_EQ(watch.silence_ns(), 10 * kNsPerS + 20 * 3 * kMs * 96);
}

TEST(StallWatch, AWarmUpThatGivesSignsOfLifeMayBeSilentForOneStep) {
  StallWatch watch{kOnTheHost};
  watch.stage({Stage::kWarmup}, 0);
  watch.stage({Stage::kWarmup, 0, 4 * kMs}, 4 * kMs);
  EXPECT_EQ(watch.silence_ns(), 61 * kNsPerS)
      << "the first steps take what a loader had ready: they say nothing of the next ones";
  EXPECT_EQ(watch.limit().name, "limits.step_s");
}

TEST(StallWatch, KnowsALaterWarmUpByTheWindowBefore) {
  StallWatch watch{kOnTheHost};
  watch.stage({Stage::kActive, 50, 4 * kMs}, 0);
  watch.cycle(4 * kMs);
  watch.stage({Stage::kWarmup}, 200 * kMs);
  EXPECT_EQ(watch.silence_ns(), 10 * kNsPerS + 20 * 4 * kMs * (10 + 50 + 1))
      << "a window may begin one window later";
}

TEST(StallWatch, ExpectsOfALaunchWhatTheOneBeforeItTookOnceItsOwnWarmUpIsOver) {
  StallRule rule = kOnADevice;
  rule.usual_step_ns = 7 * kMs;
  StallWatch watch{rule};
  watch.stage({Stage::kWarmup}, 0);
  EXPECT_EQ(watch.silence_ns(), kByStepS) << "a fresh process compiles";
  watch.stage({Stage::kActive}, 1);
  EXPECT_EQ(watch.silence_ns(), 10 * kNsPerS + 20 * 7 * kMs * 50);
}

TEST(StallWatch, GivesASlowStartItsTime) {
  StallWatch watch{kOnTheHost};
  watch.stage({Stage::kWarmup}, 0);
  watch.stage({Stage::kActive}, 300 * kNsPerS);
  EXPECT_EQ(watch.silence_ns(), kByStepS) << "never longer than limits.step_s allows";
}

TEST(StallWatch, LeavesTheEndOfALaunchToItsOtherLimits) {
  StallWatch watch{kOnTheHost};
  watch.stage({Stage::kActive, 50, 2 * kMs}, 0);
  watch.cycle(2 * kMs);
  EXPECT_EQ(watch.silence_ns(), kByStepS);
}

TEST(StallWatch, ANumberOfTheUserIsTheLimit) {
  StallRule rule = kOnTheHost;
  rule.fixed_ns = 3 * kNsPerS;
  StallWatch watch{rule};
  EXPECT_EQ(watch.silence_ns(), 3 * kNsPerS);
  EXPECT_EQ(watch.limit().name, "limits.stall_s");
}

TEST(StallWatch, WaitsTenTimesAsLongForAProfile) {
  StallRule rule = kOnTheHost;
  rule.patience = 10;
  StallWatch watch{rule};
  watch.stage({Stage::kActive, 5, 1 * kMs}, 0);
  EXPECT_EQ(watch.silence_ns(), 100 * kNsPerS + 200 * 1 * kMs * 5);
  EXPECT_THAT(watch.limit().name, HasSubstr("100 s + 200 x 1.00 ms per step x 5 steps"));
}

TEST(StallWatch, AbsurdTimesDoNotOverflow) {
  StallRule rule = kOnTheHost;
  rule.step_ns = std::int64_t{1} << 62;
  StallWatch watch{rule};
  watch.stage({Stage::kActive, std::int64_t{1} << 62, std::int64_t{1} << 62}, 0);
  EXPECT_GT(watch.silence_ns(), 0);
}

}  // namespace
}  // namespace stepbench::run
