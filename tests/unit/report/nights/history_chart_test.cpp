// SPDX-License-Identifier: Apache-2.0
#include "harness/report/history.h"

#include "harness/text/printable.h"
#include "tests/testing.h"
#include "tests/unit/nights/night_maker.h"

namespace stepbench::report {
namespace {

using test::Nightly;
using test::NightMaker;

std::vector<ChartNight> nights_of(const Nightly& values) {
  std::vector<ChartNight> nights;
  for (std::size_t i = 0; i < values.size(); ++i) {
    nights.push_back({.date = NightMaker::run_id(i).substr(0, 10), .value = values[i]});
  }
  return nights;
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, text::width(line));
  return most;
}

TEST(Chart, NoValues_AreEmptyAndEqualOnesALine) {
  EXPECT_EQ(draw_chart({}, "ns", {}), "");
  EXPECT_EQ(draw_chart(nights_of({std::nullopt, std::nullopt}), "ns", {}), "");
  EXPECT_EQ(draw_chart(nights_of({std::numeric_limits<double>::quiet_NaN()}), "ns", {}), "");
  EXPECT_THAT(draw_chart(nights_of({76e6}), "ns", {}),
              AllOf(HasSubstr("2026-01-01\n"), HasSubstr("⠉")));
  EXPECT_THAT(draw_chart(nights_of({5.0, 5.0, 5.0}), "", {}), HasSubstr("⠉⠉⠉"));
  EXPECT_THAT(draw_chart(nights_of({1.0, std::nullopt, 1.0}), "", {}), HasSubstr("⠉ ⠉"));
}

TEST(Chart, ManyNights_ShowTheNewest) {
  for (const std::size_t nights : {59U, 60U, 61U, 120U, 200U, 365U}) {
    const std::string chart = draw_chart(nights_of(NightMaker::steady(nights)), "ns", {});
    EXPECT_LE(widest(chart), kChartColumns + std::string("76.0 ms").size() + 2) << nights;
    EXPECT_THAT(chart, HasSubstr(NightMaker::run_id(nights - 1).substr(0, 10)));
    if (nights == 200) {
      EXPECT_THAT(chart, HasSubstr(NightMaker::run_id(80).substr(0, 10)));
    }
  }
}

TEST(Chart, Nights_AreMarkedBelow) {
  const std::string chart =
      draw_chart(nights_of(NightMaker::steady(20)), "ns",
                 {{.head = "alert", .marks = {{3, "A1"}, {12, "A2"}}}, {.head = "none"}});
  EXPECT_THAT(chart, HasSubstr("  alert     A1       A2\n"));
  EXPECT_THAT(chart, Not(HasSubstr("none")));
}

}  // namespace
}  // namespace stepbench::report
