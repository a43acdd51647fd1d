// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/number_text.h"

#include "tests/testing.h"

namespace stepbench::traces {
namespace {

struct Time {
  std::string_view text;  // in us
  std::int64_t ns;
  bool fraction;  // of a microsecond
};

// Finer times are rounded to the nearest nanosecond.
constexpr Time kTimes[] = {{"1700000000123456.789", 1'700'000'000'123'456'789, true},
                           {"1623143089861000", 1'623'143'089'861'000'000, false},
                           {"68", 68'000, false},
                           {"68.0", 68'000, false},
                           {"68.000", 68'000, false},
                           {"5e3", 5'000'000, false},
                           {"5E+3", 5'000'000, false},
                           {"1.5e-1", 150, true},
                           {"0.001", 1, true},
                           {"20.5", 20'500, true},
                           {"0", 0, false},
                           {"0.000", 0, false},
                           {"-0.5", -500, true},
                           {"\"12.345\"", 12'345, true},
                           {"1.0004", 1'000, true},
                           {"1.0005", 1'001, true},
                           {"1.9999", 2'000, true},
                           {"0.0001", 0, true},
                           {"1700000000123456.7894", 1'700'000'000'123'456'789, true},
                           {"1700000000123456.7895", 1'700'000'000'123'456'790, true},
                           {"1700000000123456.78949999999999999", 1'700'000'000'123'456'789, true},
                           {"0.00000000000000000000000000000000009", 0, true}};

TEST(NumberText, Microseconds_KeepNanoseconds) {
  for (const Time& each : kTimes) {
    EXPECT_EQ(microseconds_text(each.text).value().ns, each.ns) << each.text;
    EXPECT_EQ(microseconds_text(each.text)->fraction, each.fraction) << each.text;
  }
}

TEST(NumberText, InvalidOrHugeTime_IsRefused) {
  for (const char* text :
       {"", "\"\"", "abc", "1.2.3", "-", ".", "1.", ".5", "1e", "1e400", "99999999999999999999",
        "-1e30", "NaN", "null", "true", "0x10", "1 2", "+5", "4611686018427388"}) {
    EXPECT_FALSE(microseconds_text(text).has_value()) << text;
  }
  EXPECT_TRUE(microseconds_text("4611686018427387").has_value()) << "the last one, in 2116";
}

TEST(NumberText, WholeNumber_MayBeWrittenAnyWay) {
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
}  // namespace stepbench::traces
