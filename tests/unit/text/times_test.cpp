// SPDX-License-Identifier: Apache-2.0
// Ages and times of day for people.
#include "harness/text/time_text.h"

#include "tests/testing.h"

namespace stepbench::text {
namespace {

using namespace std::chrono_literals;

TEST(Age, Age_HasOneUnitAndIsParsed) {
  EXPECT_EQ(age_text(45s), "45 s");
  EXPECT_EQ(age_text(12min + 30s), "12 min");
  EXPECT_EQ(age_text(5h), "5 h");
  EXPECT_EQ(age_text(47h), "47 h");
  EXPECT_EQ(age_text(72h), "3 days");
  EXPECT_EQ(age_text(24h * 20), "2 weeks");
  EXPECT_EQ(age_text(24h * 420), "14 months");
  EXPECT_EQ(age_text(-5s), "0 s");
  EXPECT_EQ(parse_age("30d"), 30 * 24h);
  EXPECT_EQ(parse_age("36h"), 36h);
  EXPECT_EQ(parse_age("2w"), 14 * 24h);
  EXPECT_EQ(parse_age("90min"), 90min);
  EXPECT_EQ(parse_age("3 days"), 72h);
  EXPECT_EQ(parse_age("0s"), 0s);
  for (const char* text :
       {"", "30", "d", "-3d", "3.5d", "3m", "3 years", "99999999999999999w", "3d ", " 3d"}) {
    EXPECT_FALSE(parse_age(text)) << text;
  }
}

std::string back(std::string_view text) {
  const auto time = parse_utc(text);
  return time ? utc_text(*time) : "none";
}

TEST(Utc, DateAndTime_AreRead) {
  EXPECT_EQ(back("2026-01-31"), "2026-01-31T00:00:00Z");
  EXPECT_EQ(back("2026-01-31 12:05"), "2026-01-31T12:05:00Z");
  EXPECT_EQ(back("2026-01-31T12:05:59Z"), "2026-01-31T12:05:59Z");
  EXPECT_EQ(back("2024-02-29"), "2024-02-29T00:00:00Z");
  for (const char* text :
       {"", "2026", "2026-1-31", "2026-02-29", "2026-13-01", "31.01.2026", "2026-01-31T24:00",
        "2026-01-31T12", "2026-01-31T12:00:00+01:00", "2026-01-31T12:60:00Z", "2026-00-01",
        "31-01-2026", "2026-01-31x", "+026-01-31", "yesterday", "9999-01-01", "0001-01-01"}) {
    EXPECT_EQ(back(text), "none") << text;
  }
  for (const char* text : {"1970-01-01T00:00:00Z", "2026-02-28T23:59:59Z", "2028-02-29T12:34:56Z",
                           "2262-04-11T23:47:16Z", "1677-09-21T00:12:44Z"}) {
    ASSERT_TRUE(parse_utc(text)) << text;
    EXPECT_EQ(utc_text(*parse_utc(text)), text);
  }
  EXPECT_EQ(utc_text(*parse_utc("2026-01-31")), "2026-01-31T00:00:00Z");
  EXPECT_EQ(minute_text("2026-01-31T12:34:56Z"), "2026-01-31 12:34 UTC");
  EXPECT_EQ(minute_text("yesterday"), "yesterday");
}

}  // namespace
}  // namespace stepbench::text
