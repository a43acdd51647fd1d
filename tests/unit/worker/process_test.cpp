// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/process.h"

#include <gmock/gmock.h>

#include "harness/worker/usage.h"

namespace stepbench {
namespace {

TEST(Process, HasABuildIdOfHexDigits) {
  EXPECT_THAT(build_id(), testing::MatchesRegex("[0-9a-f]{16,}"));
  EXPECT_EQ(build_id(), build_id());
}

TEST(Process, IsOlderThanNothingAndYoungerThanADay) {
  EXPECT_GE(process_age_ns(), 0);
  EXPECT_LT(process_age_ns(), std::int64_t{86'400'000'000'000});
}

TEST(Usage, CountersNeverFall) {
  const Usage before = current_usage();
  const Usage spent = current_usage() - before;
  EXPECT_GE(spent.user_ns, 0);
  EXPECT_GE(spent.minor_faults, 0);
  EXPECT_GE(spent.voluntary_switches, 0);
}

TEST(Usage, PeakMemoryHoldsThisProgram) { EXPECT_GT(peak_rss_bytes(), std::int64_t{1} << 20); }

}  // namespace
}  // namespace stepbench
