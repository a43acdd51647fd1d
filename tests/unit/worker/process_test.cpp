// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/process.h"

#include <gmock/gmock.h>

namespace stepbench::worker {
namespace {

TEST(Process, HasABuildIdOfHexDigits) {
  EXPECT_THAT(build_id(), testing::MatchesRegex("[0-9a-f]{16,}"));
  EXPECT_EQ(build_id(), build_id());
}

TEST(Process, IsOlderThanNothingAndYoungerThanADay) {
  EXPECT_GE(process_age_ns(), 0);
  EXPECT_LT(process_age_ns(), std::int64_t{86'400'000'000'000});
}

}  // namespace
}  // namespace stepbench::worker
