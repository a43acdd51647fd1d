// SPDX-License-Identifier: Apache-2.0
#include "harness/os/usage.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace stepbench::os {
namespace {

TEST(Usage, CountersNeverFall) {
  const Usage before = current_usage();
  const Usage spent = current_usage() - before;
  EXPECT_GE(spent.user_ns, 0);
  EXPECT_GE(spent.minor_faults, 0);
  EXPECT_GE(spent.voluntary_switches, 0);
}

TEST(Usage, PeakMemoryHoldsThisProgram) { EXPECT_GT(peak_rss_bytes(), std::int64_t{1} << 20); }

TEST(Usage, OfAProcessByProcIsWhatTheKernelCountedSoFar) {
  const Usage by_proc = usage_of(::getpid());
  const Usage now = current_usage();
  EXPECT_GT(by_proc.minor_faults, 0);
  EXPECT_LE(by_proc.minor_faults, now.minor_faults);
  EXPECT_LE(by_proc.voluntary_switches, now.voluntary_switches);
}

TEST(Usage, OfNoProcessIsZero) {
  const Usage none = usage_of(-1);
  EXPECT_EQ(none.minor_faults, 0);
  EXPECT_EQ(none.user_ns, 0);
}

TEST(Usage, AddsAndSubtracts) {
  const Usage a{.user_ns = 5, .system_ns = 4, .minor_faults = 3};
  const Usage b{.user_ns = 1, .system_ns = 1, .minor_faults = 1};
  EXPECT_EQ((a + b).user_ns, 6);
  EXPECT_EQ((a - b).minor_faults, 2);
}

}  // namespace
}  // namespace stepbench::os
