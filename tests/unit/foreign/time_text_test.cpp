// SPDX-License-Identifier: Apache-2.0
#include "harness/foreign/time_text.h"

#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/foreign/units.h"

namespace stepbench::foreign {
namespace {

TEST(TimeText, DatesOfManyProgramsAreOneForm) {
  EXPECT_EQ(utc_of("2026-01-31"), "2026-01-31T00:00:00Z");
  EXPECT_EQ(utc_of("2026-01-31T12:00:00Z"), "2026-01-31T12:00:00Z");
  EXPECT_EQ(utc_of("2026.01.01 3:00:00 +0100"), "2026-01-01T02:00:00Z");
  EXPECT_EQ(utc_of("2026/01/31 12:30"), "2026-01-31T12:30:00Z");
  EXPECT_EQ(utc_of("2026-11-23T09:47:35.282397+00:00"), "2026-11-23T09:47:35Z");
  EXPECT_EQ(utc_of(" 2026-01-01 01:30 -05:30 "), "2026-01-01T07:00:00Z");
  EXPECT_EQ(utc_of("2026-01-01 01:30 UTC"), "2026-01-01T01:30:00Z");
}

TEST(TimeText, NumbersAreTakenForTheUnitInWhichTheyAreOfThisCentury) {
  EXPECT_EQ(utc_of("1769860800"), "2026-01-31T12:00:00Z");
  EXPECT_EQ(utc_of("1769860800.75"), "2026-01-31T12:00:00Z");
  EXPECT_EQ(utc_of("1769860800000"), "2026-01-31T12:00:00Z");
  EXPECT_EQ(utc_of("1769860800000000"), "2026-01-31T12:00:00Z");
  EXPECT_EQ(utc_of("1769860800000000000"), "2026-01-31T12:00:00Z");
}

TEST(TimeText, WhatIsNoDateIsNone) {
  for (const char* text :
       {"", "yesterday", "12", "2026-02-30", "2026-13-01", "31.01.2026", "2026-01-31 25:00",
        "2026-01-31T12:00:00+99:00", "2026-01-31 noon", "4052-01-31", "1026-01-31T02:00:00Z"}) {
    EXPECT_EQ(utc_of(text), std::nullopt) << text;
  }
}

TEST(Units, TimesAreNanosecondsAndMemoryIsBytes) {
  EXPECT_EQ(unit_of("ms").name, "ns");
  EXPECT_EQ(unit_of("ms").factor, 1e6);
  EXPECT_EQ(unit_of("MiB").name, "bytes");
  EXPECT_EQ(unit_of("MiB").factor, 1024 * 1024);
  EXPECT_EQ(unit_of("ops/s").name, "ops/s");
  EXPECT_EQ(unit_of("ops/s").factor, 1);
}

TEST(Units, WhatIsBetterFollowsFromTheUnitOrMustBeSaid) {
  EXPECT_EQ(direction_of("", unit_of("ms"), "step"), Direction::kLowerIsBetter);
  EXPECT_EQ(direction_of("", unit_of("ops/s"), "load"), Direction::kHigherIsBetter);
  EXPECT_EQ(direction_of("", unit_of(""), "items_per_second"), Direction::kHigherIsBetter);
  EXPECT_EQ(direction_of("lower", unit_of("ops/s"), "load"), Direction::kLowerIsBetter);
  EXPECT_THROW((void)direction_of("", unit_of("rows"), "metric1"), ConfigError);
}

}  // namespace
}  // namespace stepbench::foreign
