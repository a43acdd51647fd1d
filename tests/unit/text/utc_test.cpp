// SPDX-License-Identifier: Apache-2.0
#include "harness/text/utc.h"

#include <gtest/gtest.h>

namespace stepbench::text {
namespace {

std::string back(std::string_view text) {
  const auto time = parse_utc(text);
  return time ? utc_text(*time) : "none";
}

TEST(Utc, IsReadWithAndWithoutATimeOfDay) {
  EXPECT_EQ(back("2026-01-31"), "2026-01-31T00:00:00Z");
  EXPECT_EQ(back("2026-01-31 12:05"), "2026-01-31T12:05:00Z");
  EXPECT_EQ(back("2026-01-31T12:05:59Z"), "2026-01-31T12:05:59Z");
  EXPECT_EQ(back("2024-02-29"), "2024-02-29T00:00:00Z");
}

TEST(Utc, RefusesOtherTextsAndDaysThatDoNotExist) {
  for (const char* text :
       {"", "2026", "2026-1-31", "2026-02-29", "2026-13-01", "31.01.2026", "2026-01-31T24:00",
        "2026-01-31T12", "2026-01-31T12:00:00+01:00", "2026-01-31T12:60:00Z", "2026-00-01",
        "31-01-2026", "2026-01-31x", "+026-01-31", "yesterday", "9999-01-01", "0001-01-01"}) {
    EXPECT_EQ(back(text), "none") << text;
  }
}

TEST(Utc, ReadsBackWhatItWrites) {
  for (const char* text : {"1970-01-01T00:00:00Z", "2026-02-28T23:59:59Z", "2028-02-29T12:34:56Z",
                           "2262-04-11T23:47:16Z", "1677-09-21T00:12:44Z"}) {
    ASSERT_TRUE(parse_utc(text)) << text;
    EXPECT_EQ(utc_text(*parse_utc(text)), text);
  }
  EXPECT_EQ(utc_text(*parse_utc("2026-01-31")), "2026-01-31T00:00:00Z");
}

TEST(Utc, IsShownToTheMinute) {
  EXPECT_EQ(minute_text("2026-01-31T12:34:56Z"), "2026-01-31 12:34 UTC");
  EXPECT_EQ(minute_text("yesterday"), "yesterday");
}

}  // namespace
}  // namespace stepbench::text
