// SPDX-License-Identifier: Apache-2.0
// How long a worker may be silent, and the place of a hang.
#include "harness/run/internal/launch_limits.h"
#include "harness/run/internal/worker_output.h"
#include "tests/testing.h"

namespace stepbench::run {
namespace {

using protocol::Stage;

constexpr std::int64_t kMs = 1'000'000;
constexpr StallRule kOnTheHost{.lead_steps = 10, .window_steps = 50, .host_only = true};
constexpr StallRule kOnADevice{.lead_steps = 10, .window_steps = 50};
constexpr std::int64_t kByStepS = 60 * 60 * kNsPerS;

TEST(StallWatch, UnknownTime_AllowsEachStepsLimit) {
  StallWatch watch{kOnTheHost};
  watch.stage({Stage::kWarmup}, 0);
  EXPECT_EQ(watch.silence_ns(), kByStepS);
  EXPECT_EQ(watch.limit().name, "limits.step_s x steps per cycle");
}

TEST(StallWatch, StageArrivals_TimeAWindow) {
  StallWatch watch{kOnTheHost};
  watch.stage({Stage::kWarmup}, 5 * kMs);
  watch.stage({Stage::kActive}, 25 * kMs);
  EXPECT_EQ(watch.silence_ns(), 10 * kNsPerS + 20 * 2 * kMs * 50);
  EXPECT_EQ(watch.limit().name, "limits.stall_s: auto, 10 s + 20 x 2.00 ms per step x 50 steps");
}

TEST(StallWatch, UninformativeArrivals_AreIgnored) {
  StallWatch device{kOnADevice};  // its messages arrive before it has done its work
  device.stage({Stage::kWarmup}, 5 * kMs);
  device.stage({Stage::kActive}, 25 * kMs);
  EXPECT_EQ(device.silence_ns(), kByStepS);
  device.cycle(1 * kMs);
  device.stage({Stage::kWarmup}, 90'000 * kMs);
  EXPECT_EQ(device.silence_ns(), kByStepS);
  StallWatch at_once{kOnTheHost};
  at_once.stage({Stage::kWarmup}, 5 * kMs);
  at_once.stage({Stage::kActive}, 5 * kMs + 1000);
  EXPECT_EQ(at_once.silence_ns(), kByStepS);
  StallWatch slow{kOnTheHost};
  slow.stage({Stage::kWarmup}, 0);
  slow.stage({Stage::kActive}, 300 * kNsPerS);
  EXPECT_EQ(slow.silence_ns(), kByStepS) << "never longer than limits.step_s allows";
  StallWatch ending{kOnTheHost};
  ending.stage({Stage::kActive, 50, 2 * kMs}, 0);
  ending.cycle(2 * kMs);
  EXPECT_EQ(ending.silence_ns(), kByStepS) << "the end of a launch has other limits";
}

TEST(StallWatch, ReportedTimeAndSteps_AreUsed) {
  StallWatch watch{kOnADevice};
  watch.stage({Stage::kWarmup}, 0);
  watch.stage({Stage::kActive, 96, 3 * kMs}, 30 * kMs);
  EXPECT_EQ(watch.silence_ns(), 10 * kNsPerS + 20 * 3 * kMs * 96);
}

TEST(StallWatch, ReportingWarmUp_AllowsOneSilentStep) {
  StallWatch watch{kOnTheHost};
  watch.stage({Stage::kWarmup}, 0);
  watch.stage({Stage::kWarmup, 0, 4 * kMs}, 4 * kMs);
  EXPECT_EQ(watch.silence_ns(), 61 * kNsPerS)
      << "the first steps take what a loader had ready: they say nothing of the next ones";
  EXPECT_EQ(watch.limit().name, "limits.step_s");
}

TEST(StallWatch, Pause_ExpectsNoStep) {
  StallWatch watch{kOnTheHost};
  watch.stage({Stage::kWarmup}, 0);
  watch.stage({Stage::kWarmup, 0, 4 * kMs}, 4 * kMs);
  watch.stage({Stage::kWarmup}, 8 * kMs);
  EXPECT_EQ(watch.silence_ns(), kByStepS) << "it evaluates during the warm-up";
  watch.stage({Stage::kWarmup, 0, 4 * kMs}, 90 * kNsPerS);
  EXPECT_EQ(watch.silence_ns(), 61 * kNsPerS);
  watch.stage({Stage::kActive, 50, 4 * kMs}, 91 * kNsPerS);
  watch.cycle(4 * kMs);
  watch.stage({Stage::kActive, 50, 4 * kMs}, 92 * kNsPerS);
  watch.stage({Stage::kWarmup}, 93 * kNsPerS);
  EXPECT_EQ(watch.silence_ns(), kByStepS) << "and in a window";
  watch.stage({Stage::kActive, 50, 4 * kMs}, 200 * kNsPerS);
  EXPECT_EQ(watch.silence_ns(), 10 * kNsPerS + 20 * 4 * kMs * 50);
}

TEST(StallWatch, LaterWarmUp_UsesTheWindowBefore) {
  StallWatch watch{kOnTheHost};
  watch.stage({Stage::kActive, 50, 4 * kMs}, 0);
  watch.cycle(4 * kMs);
  watch.stage({Stage::kWarmup}, 200 * kMs);
  EXPECT_EQ(watch.silence_ns(), 10 * kNsPerS + 20 * 4 * kMs * (10 + 50 + 1))
      << "a window may begin one window later";
}

TEST(StallWatch, PreviousLaunch_SetsTheExpectation) {
  StallRule rule = kOnADevice;
  rule.usual_step_ns = 7 * kMs;
  StallWatch watch{rule};
  watch.stage({Stage::kWarmup}, 0);
  EXPECT_EQ(watch.silence_ns(), kByStepS) << "a fresh process compiles";
  watch.stage({Stage::kActive}, 1);
  EXPECT_EQ(watch.silence_ns(), 10 * kNsPerS + 20 * 7 * kMs * 50);
}

TEST(StallWatch, UserLimit_IsUsed) {
  StallRule rule = kOnTheHost;
  rule.fixed_ns = 3 * kNsPerS;
  StallWatch watch{rule};
  EXPECT_EQ(watch.silence_ns(), 3 * kNsPerS);
  EXPECT_EQ(watch.limit().name, "limits.stall_s");
}

TEST(StallWatch, Profile_WaitsTenTimesAsLong) {
  StallRule rule = kOnTheHost;
  rule.patience = 10;
  StallWatch watch{rule};
  watch.stage({Stage::kActive, 5, 1 * kMs}, 0);
  EXPECT_EQ(watch.silence_ns(), 100 * kNsPerS + 200 * 1 * kMs * 5);
  EXPECT_THAT(watch.limit().name, HasSubstr("100 s + 200 x 1.00 ms per step x 5 steps"));
}

TEST(StallWatch, HugeTimes_DoNotOverflow) {
  StallRule rule = kOnTheHost;
  rule.step_ns = std::int64_t{1} << 62;
  StallWatch watch{rule};
  watch.stage({Stage::kActive, std::int64_t{1} << 62, std::int64_t{1} << 62}, 0);
  EXPECT_GT(watch.silence_ns(), 0);
}

constexpr const char* kInBackward =
    "loss 0.5\nCurrent thread 0x00007f (most recent call first):\n"
    "  File \"/x/site-packages/torch/autograd/graph.py\", line 825 in _engine_run_backward\n"
    "  File \"/x/site-packages/torch/_tensor.py\", line 630 in backward\n"
    "  File \"/home/me/train.py\", line 92 in main\n"
    "  File \"/home/me/train.py\", line 99 in <module>\n"
    "  File \"/x/stepbench_worker/script.py\", line 30 in run\n";
constexpr const char* kInLoader =
    "Current thread 0x00007f (most recent call first):\n"
    "  File \"/home/me/data.py\", line 12 in __getitem__\n"
    "  File \"/x/site-packages/torch/utils/data/_utils/fetch.py\", line 52 in fetch\n"
    "  File \"/home/me/train.py\", line 80 in main\n";

TEST(StackPlace, LastUserFrame_IsThePlace) {
  EXPECT_EQ(place_in_stack(kInBackward)->text, "train.py, line 92, in main");
  EXPECT_TRUE(place_in_stack(kInBackward)->in_torch);
  EXPECT_EQ(place_in_stack(kInLoader)->text, "data.py, line 12, in __getitem__");
  EXPECT_FALSE(place_in_stack(kInLoader)->in_torch);
  EXPECT_EQ(place_in_stack(std::string(kInLoader) + kInBackward)->text,
            "train.py, line 92, in main");
  EXPECT_FALSE(place_in_stack(""));
  EXPECT_FALSE(place_in_stack("loss 0.5\n"));
  EXPECT_FALSE(place_in_stack("Current thread 0x1 (most recent call first):\n"));
  EXPECT_FALSE(place_in_stack("(most recent call first):\n  File \"cut"));
  EXPECT_FALSE(place_in_stack("(most recent call first):\n  <no Python frame>\n"));
}

}  // namespace
}  // namespace stepbench::run
