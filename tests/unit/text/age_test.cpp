// SPDX-License-Identifier: Apache-2.0
#include "harness/text/age.h"

#include <gtest/gtest.h>

namespace stepbench::text {
namespace {

using namespace std::chrono_literals;

TEST(Age, IsSaidInOneUnit) {
  EXPECT_EQ(age_text(45s), "45 s");
  EXPECT_EQ(age_text(12min + 30s), "12 min");
  EXPECT_EQ(age_text(5h), "5 h");
  EXPECT_EQ(age_text(47h), "47 h");
  EXPECT_EQ(age_text(72h), "3 days");
  EXPECT_EQ(age_text(24h * 20), "2 weeks");
  EXPECT_EQ(age_text(24h * 420), "14 months");
  EXPECT_EQ(age_text(-5s), "0 s");
}

TEST(Age, IsReadAsPeopleTypeIt) {
  EXPECT_EQ(parse_age("30d"), 30 * 24h);
  EXPECT_EQ(parse_age("36h"), 36h);
  EXPECT_EQ(parse_age("2w"), 14 * 24h);
  EXPECT_EQ(parse_age("90min"), 90min);
  EXPECT_EQ(parse_age("3 days"), 72h);
  EXPECT_EQ(parse_age("0s"), 0s);
}

TEST(Age, RefusesWhatHasNoUnitOrIsNoAge) {
  for (const char* text :
       {"", "30", "d", "-3d", "3.5d", "3m", "3 years", "99999999999999999w", "3d ", " 3d"}) {
    EXPECT_FALSE(parse_age(text)) << text;
  }
}

}  // namespace
}  // namespace stepbench::text
