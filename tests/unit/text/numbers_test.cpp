// SPDX-License-Identifier: Apache-2.0
#include "harness/text/numbers.h"

#include "tests/testing.h"

namespace stepbench::text {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Numbers, LongNumbers_AreRoundedAndSeparated) {
  EXPECT_EQ(significant(12.345), "12.3");
  EXPECT_EQ(significant(9.996), "10.0");
  EXPECT_EQ(significant(0.0012345), "0.00123");
  EXPECT_EQ(significant(123456), "123,456");
  EXPECT_EQ(significant(-1234.6), "-1,235");
  EXPECT_EQ(significant(0), "0");
  EXPECT_EQ(significant(kNan), "nan");
  EXPECT_EQ(significant(-kInfinity), "-inf");
  EXPECT_EQ(interval_text(41.301, 41.339), "[41.30, 41.34]");
  EXPECT_EQ(interval_text(41.2, 44.9), "[41.2, 44.9]");
  EXPECT_EQ(interval_text(5, 5), "[5.00, 5.00]");
  EXPECT_EQ(short_number(2), "2");
  EXPECT_EQ(short_number(0.5), "0.5");
  EXPECT_EQ(short_number(12.256), "12.26");
  EXPECT_EQ(short_number(100, 0), "100");
  EXPECT_EQ(short_number(-0.001), "0");
  EXPECT_EQ(short_number(kInfinity), "inf");
  EXPECT_EQ(with_separators(-1234567), "-1,234,567");
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(rough_count(7), "7");
  EXPECT_EQ(rough_count(99), "99");
  EXPECT_EQ(rough_count(1234), "1,300");
  EXPECT_EQ(rough_count(0), "0");
  EXPECT_EQ(byte_text(1536), "1.50 KiB");
  EXPECT_EQ(byte_text(0), "0 B");
}

TEST(Percent, EachUse_HasItsDecimals) {
  EXPECT_EQ(percent(0.123), "12.3");
  EXPECT_EQ(percent(0), "0.0");
  EXPECT_EQ(percent(0.9994), "99.9");
  EXPECT_EQ(percent(0.9996), "100");
  EXPECT_EQ(percent(kNan), "nan");
  EXPECT_EQ(percent_text(0.123), "12.3 %");
  EXPECT_EQ(percent_text(0.0325), "3.2 %");
  EXPECT_EQ(percent_text(0.0025), "0.25 %");
  EXPECT_EQ(percent_text(0.00994), "0.99 %");
  EXPECT_EQ(percent_text(0.00996), "1.0 %");
  EXPECT_EQ(percent_text(0), "0 %");
  EXPECT_EQ(percent_text(2), "200 %");
  EXPECT_EQ(signed_percent(0.0123), "+1.23");
  EXPECT_EQ(signed_percent(-0.123), "-12.3");
  EXPECT_EQ(signed_percent(0.09996), "+10.0");
  EXPECT_EQ(signed_percent(0), "+0.00");
  EXPECT_EQ(signed_percent(-1e-9), "+0.00");
  EXPECT_EQ(signed_percent(kInfinity), "inf");
  EXPECT_EQ(signed_percent(kNan), "?");
}

TEST(Durations, Durations_AreShortFixedOrRough) {
  EXPECT_EQ(duration(850), "850 ns");
  EXPECT_EQ(duration(1.234e6), "1.23 ms");
  EXPECT_EQ(duration(4.2e9), "4.20 s");
  EXPECT_EQ(signed_duration(-2e3), "-2.00 us");
  EXPECT_EQ(signed_duration(2e3), "+2.00 us");
  EXPECT_EQ(seconds_text(60), "60 s");
  EXPECT_EQ(seconds_text(0.25), "0.25 s");
  EXPECT_EQ(rough_duration(44.1), "45 s");
  EXPECT_EQ(rough_duration(150), "3 min");
  EXPECT_EQ(rough_duration(3 * 3600 + 300), "3 h 5 min");
  EXPECT_EQ(rough_duration(4 * 86400), "4 days");
  EXPECT_EQ(clock_text(65'000'000'000), "1:05");
  EXPECT_EQ(clock_text(3'723'000'000'000), "1:02:03");
  EXPECT_EQ(clock_text(-1), "0:00");
}

TEST(CpuList, Ranges_RoundTrip) {
  EXPECT_EQ(cpu_list_text(std::vector<int>{0, 1, 2, 8, 10, 11}), "0-2,8,10-11");
  EXPECT_EQ(cpu_list_text({}), "");
  EXPECT_THAT(parse_cpu_list("0"), Optional(ElementsAre(0)));
  EXPECT_THAT(parse_cpu_list("0-2,8,10-11"), Optional(ElementsAre(0, 1, 2, 8, 10, 11)));
  EXPECT_THAT(parse_cpu_list("5,0"), Optional(ElementsAre(5, 0)));
  for (const char* text :
       {"", ",", "1,", "3-1", "x", "1x", "-1", "0-65536", "99999999999", "1 2"}) {
    EXPECT_EQ(parse_cpu_list(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace stepbench::text
