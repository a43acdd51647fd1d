// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule/schedule.h"

#include <chrono>

#include "harness/os/process.h"
#include "tests/testing.h"

namespace stepbench::schedule {
namespace {

std::string letters(const Schedule& schedule, std::size_t steps) {
  std::string out;
  for (std::size_t step = 0; step < steps; ++step) {
    const Action action = action_at(schedule, static_cast<std::int64_t>(step));
    out += action == Action::kNone     ? 'N'
           : action == Action::kWarmup ? 'W'
           : action == Action::kRecord ? 'R'
                                       : 'S';
  }
  return out;
}

TEST(Schedule, Cycle_RepeatsWaitWarmupAndActive) {
  EXPECT_EQ(letters({.wait = 1, .warmup = 2, .active = 3, .repeat = 1}, 8), "NWWRRSNN");
  EXPECT_EQ(letters({.wait = 1, .warmup = 0, .active = 1, .repeat = 3}, 8), "NSNSNSNN");
  EXPECT_EQ(letters({.wait = 0, .warmup = 1, .active = 2, .repeat = 0}, 9), "WRSWRSWRS");
  EXPECT_EQ(letters({.wait = 1, .warmup = 1, .active = 1, .repeat = 2, .skip_first = 2}, 9),
            "NNNWSNWSN");
  EXPECT_EQ(
      letters(
          {.wait = 2, .warmup = 1, .active = 1, .repeat = 2, .skip_first = 1, .skip_first_wait = 1},
          9),
      "NWSNNWSNN");
}

TEST(Schedule, EveryParameter_MatchesTorchsProfiler) {  // torch 2.11
  const fs::path source = STEPBENCH_SOURCE_DIR;
  const fs::path python = source / ".venv/bin/python";
  if (!fs::exists(python)) {
    GTEST_SKIP() << "no " << python << " with torch; tools/setup makes it";
  }
  const std::string script = (source / "tests/unit/schedule/torch_schedule.py").string();
  std::istringstream lines(
      os::run_command({python.string(), script}, "", std::chrono::minutes(10)).out);
  Schedule schedule;
  std::string expected;
  int compared = 0;
  while (lines >> schedule.wait >> schedule.warmup >> schedule.active >> schedule.repeat >>
         schedule.skip_first >> schedule.skip_first_wait >> expected) {
    ASSERT_EQ(letters(schedule, expected.size()), expected)
        << "wait=" << schedule.wait << " warmup=" << schedule.warmup
        << " active=" << schedule.active << " repeat=" << schedule.repeat
        << " skip_first=" << schedule.skip_first << " skip_first_wait=" << schedule.skip_first_wait;
    ++compared;
  }
  EXPECT_EQ(compared, 648);
}

}  // namespace
}  // namespace stepbench::schedule
