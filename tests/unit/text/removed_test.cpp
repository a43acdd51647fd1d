// SPDX-License-Identifier: Apache-2.0
#include "harness/text/names.h"

#include "tests/testing.h"

namespace stepbench::text {
namespace {

TEST(Removed, OldName_NamesItsReplacement) {
  EXPECT_EQ(removed("explain"), "removed in 0.2: use `ab` with both programs on one machine");
}

TEST(Removed, Option_MatchesWithoutItsSection) {
  EXPECT_NE(removed("schedule.arrivals.rate"), "");
  EXPECT_EQ(removed("arrivals.rate"), removed("schedule.arrivals.rate"));
  EXPECT_EQ(removed("rate"), "");
}

TEST(Removed, UnknownName_IsUnknown) {
  EXPECT_EQ(removed("explains"), "");
  EXPECT_EQ(removed("xplain"), "");
  EXPECT_EQ(removed(""), "");
}

}  // namespace
}  // namespace stepbench::text
