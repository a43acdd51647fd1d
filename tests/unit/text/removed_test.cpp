// SPDX-License-Identifier: Apache-2.0
#include "harness/text/removed.h"

#include <gtest/gtest.h>

namespace stepbench::text {
namespace {

TEST(Removed, ANameOfBefore_SaysWhatToUseInstead) {
  EXPECT_EQ(removed("explain"), "removed in 0.2: use `ab` with both programs on one machine");
}

TEST(Removed, AnOption_IsMeantWithoutItsSectionAndNotByItsLastWord) {
  EXPECT_NE(removed("schedule.arrivals.rate"), "");
  EXPECT_EQ(removed("arrivals.rate"), removed("schedule.arrivals.rate"));
  EXPECT_EQ(removed("rate"), "");
}

TEST(Removed, ANameThatNeverWas_IsNotKnown) {
  EXPECT_EQ(removed("explains"), "");
  EXPECT_EQ(removed("xplain"), "");
  EXPECT_EQ(removed(""), "");
}

}  // namespace
}  // namespace stepbench::text
