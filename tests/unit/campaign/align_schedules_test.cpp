// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/ab_arms.h"

#include "tests/testing.h"

namespace stepbench::campaign {
namespace {

struct Steps {
  std::int64_t warmup = 0;
  std::int64_t active = 0;
  std::int64_t block = 1;
  std::int64_t refill = 0;
};

ResolvedCase with(const Steps& steps) {
  ResolvedCase resolved;
  resolved.options["schedule.wait"] = std::int64_t{0};
  resolved.options["schedule.warmup"] = steps.warmup;
  resolved.options["schedule.active"] = steps.active;
  resolved.options["schedule.block"] = steps.block;
  resolved.options["schedule.refill"] = steps.refill;
  return resolved;
}

TEST(AlignSchedules, BothArms_GetTheLongerWarmup) {
  ResolvedCase a = with({.warmup = 10, .active = 50, .block = 4, .refill = 10});
  ResolvedCase b = with({.warmup = 18, .active = 48, .block = 6, .refill = 18});
  EXPECT_TRUE(align_schedules({}, a, b));
  for (const ResolvedCase* arm : {&a, &b}) {
    EXPECT_EQ(arm->integer("schedule.warmup"), 18);
    EXPECT_EQ(arm->integer("schedule.active"), 60) << "a multiple of 4 and of 6, at least 50";
    EXPECT_EQ(arm->integer("schedule.refill"), 18);
  }
}

TEST(AlignSchedules, NoWorkersOrEqual_ChangesNothing) {
  ResolvedCase a = with({.warmup = 10, .active = 50});
  ResolvedCase b = with({.warmup = 20, .active = 40});
  EXPECT_FALSE(align_schedules({}, a, b));
  EXPECT_EQ(a.integer("schedule.warmup"), 10);
  EXPECT_EQ(b.integer("schedule.active"), 40);
  a = b = with({.warmup = 10, .active = 48, .block = 4, .refill = 10});
  EXPECT_FALSE(align_schedules({}, a, b));
}

TEST(AlignSchedules, ComparedOption_IsKept) {
  ResolvedCase a = with({.warmup = 10, .active = 50, .block = 4, .refill = 10});
  ResolvedCase b = with({.warmup = 20, .active = 48, .block = 4, .refill = 10});
  EXPECT_TRUE(align_schedules({"schedule.warmup"}, a, b));
  EXPECT_EQ(a.integer("schedule.warmup"), 10);
  EXPECT_EQ(b.integer("schedule.warmup"), 20);
  EXPECT_EQ(a.integer("schedule.active"), b.integer("schedule.active"));
}

}  // namespace
}  // namespace stepbench::campaign
