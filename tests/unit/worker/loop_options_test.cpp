// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/loop_options.h"

#include <gtest/gtest.h>

#include "harness/catalogue/catalogue.h"
#include "harness/worker/defaults.h"

namespace stepbench::worker {
namespace {

ResolvedCase with(const std::vector<std::pair<std::string, Value>>& schedule) {
  ResolvedCase resolved;
  for (const auto& [name, value] : schedule) resolved.options["schedule." + name] = value;
  fill_defaults(resolved, Catalogue{});
  return resolved;
}

Value steps(std::int64_t count) { return count; }

TEST(LoopOptions, TurnsAndRefillComeFromThePlan) {
  const LoopOptions options = loop_options(with({{"block", steps(4)}, {"refill", steps(18)}}), 0);
  EXPECT_EQ(options.block_steps, 4);
  EXPECT_EQ(options.epoch_steps.refill, 18);
  EXPECT_EQ(options.epoch_steps.per_epoch, 0) << "the workload says it";
}

TEST(LoopOptions, ACaseOfAnOlderControllerHasNeither) {
  ResolvedCase resolved = with({});
  resolved.options["schedule.block"] = Value{};
  resolved.options["schedule.refill"] = Value{};
  const LoopOptions options = loop_options(resolved, 0);
  EXPECT_EQ(options.block_steps, 1);
  EXPECT_EQ(options.epoch_steps.refill, 0);
}

TEST(LoopOptions, AnAutomaticScheduleRepeatsItsWindowWithoutEnd) {
  const LoopOptions options =
      loop_options(with({{"active", std::string("auto")}, {"window", steps(96)}}), 0);
  EXPECT_TRUE(options.stop.automatic);
  EXPECT_EQ(options.schedule.active, 96);
  EXPECT_EQ(options.schedule.repeat, 0);
}

TEST(LoopOptions, OnlyAProfilingPassBeginsItsWindowOnAnIdleDevice) {
  EXPECT_FALSE(loop_options(with({}), 0).idle_device);
  EXPECT_TRUE(loop_options(with({}), 0, Pass::kNative).idle_device);
}

TEST(LoopOptions, AProfileTakesTheLastStepsOfTheScheduleThatThePlanMade) {
  const ResolvedCase resolved =
      with({{"wait", steps(0)}, {"warmup", steps(18)}, {"active", steps(96)}});
  const schedule::Schedule profile = loop_options(resolved, 0, Pass::kNative).schedule;
  EXPECT_EQ(profile.skip_first + profile.warmup + profile.active, 18 + 96);
}

}  // namespace
}  // namespace stepbench::worker
