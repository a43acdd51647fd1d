// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/number_text.h"

#include <gtest/gtest.h>

namespace stepbench::trace {
namespace {

TEST(NumberText, MicrosecondsKeepEveryNanosecond) {
  const auto ns = [](std::string_view text) { return microseconds_text(text).value().ns; };
  EXPECT_EQ(ns("1700000000123456.789"), 1'700'000'000'123'456'789);
  EXPECT_EQ(ns("1623143089861000"), 1'623'143'089'861'000'000);
  EXPECT_EQ(ns("68.0"), 68'000);
  EXPECT_EQ(ns("5e3"), 5'000'000);
  EXPECT_EQ(ns("5E+3"), 5'000'000);
  EXPECT_EQ(ns("1.5e-1"), 150);
  EXPECT_EQ(ns("0.001"), 1);
  EXPECT_EQ(ns("20.5"), 20'500);
  EXPECT_EQ(ns("0"), 0);
  EXPECT_EQ(ns("0.000"), 0);
  EXPECT_EQ(ns("-0.5"), -500);
  EXPECT_EQ(ns("\"12.345\""), 12'345);
}

TEST(NumberText, FinerTimesAreRoundedToTheNearestNanosecond) {
  const auto ns = [](std::string_view text) { return microseconds_text(text).value().ns; };
  EXPECT_EQ(ns("1.0004"), 1'000);
  EXPECT_EQ(ns("1.0005"), 1'001);
  EXPECT_EQ(ns("1.9999"), 2'000);
  EXPECT_EQ(ns("0.0004"), 0);
  EXPECT_EQ(ns("1700000000123456.7894"), 1'700'000'000'123'456'789);
  EXPECT_EQ(ns("1700000000123456.7895"), 1'700'000'000'123'456'790);
  EXPECT_EQ(ns("1700000000123456.78949999999999999"), 1'700'000'000'123'456'789);
  EXPECT_EQ(ns("0.00000000000000000000000000000000009"), 0);
}

TEST(NumberText, WhetherATimeHasAFractionIsKnown) {
  EXPECT_FALSE(microseconds_text("68.0")->fraction);
  EXPECT_FALSE(microseconds_text("68.000")->fraction);
  EXPECT_FALSE(microseconds_text("68")->fraction);
  EXPECT_TRUE(microseconds_text("68.001")->fraction);
  EXPECT_TRUE(microseconds_text("68.5")->fraction);
  EXPECT_TRUE(microseconds_text("0.0001")->fraction);
}

TEST(NumberText, WhatIsNoTimeOrTooLargeIsNone) {
  for (const char* text :
       {"", "\"\"", "abc", "1.2.3", "-", ".", "1.", ".5", "1e", "1e400", "99999999999999999999",
        "-1e30", "NaN", "null", "true", "0x10", "1 2", "+5", "4611686018427388"}) {
    EXPECT_FALSE(microseconds_text(text).has_value()) << text;
  }
  EXPECT_TRUE(microseconds_text("4611686018427387").has_value()) << "the last one, in 2116";
}

TEST(NumberText, WholeNumbersMayBeWrittenInAnyWay) {
  EXPECT_EQ(integer_text("31"), 31);
  EXPECT_EQ(integer_text("31.0"), 31);
  EXPECT_EQ(integer_text("\"31\""), 31);
  EXPECT_EQ(integer_text("-1"), -1);
  EXPECT_EQ(integer_text("9007199254740993"), 9007199254740993);
  EXPECT_EQ(integer_text("31.5"), std::nullopt);
  EXPECT_EQ(integer_text("[31]"), std::nullopt);
  EXPECT_EQ(integer_text("1e30"), std::nullopt);
  EXPECT_EQ(unsigned_text("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(unsigned_text("-1"), std::nullopt);
  EXPECT_EQ(real_text("0.625"), 0.625);
  EXPECT_EQ(real_text("1e400"), std::nullopt);
  EXPECT_EQ(real_text("nan"), std::nullopt);
}

}  // namespace
}  // namespace stepbench::trace
