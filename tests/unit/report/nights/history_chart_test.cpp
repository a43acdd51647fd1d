// SPDX-License-Identifier: Apache-2.0
#include "harness/report/history.h"

#include "harness/text/printable.h"
#include "tests/testing.h"
#include "tests/unit/nights/night_maker.h"

namespace stepbench::report {
namespace {

using test::Nightly;
using test::NightMaker;

// The chart of a series with these values; `alerts`: ids by night.
std::string chart_of(const Nightly& values, const std::map<std::size_t, std::string>& alerts = {}) {
  NightMaker maker;
  maker.add_series("0", NightMaker::steady(values.size()));
  nights::SeriesHistory& series = maker.history.series[0];
  HistoryView view = view_of(series, maker.history, {}, {}, {}, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i]) series.points[i].value = *values[i];
    if (!values[i]) view.nights[i].point = nullptr;
  }
  for (const auto& [night, id] : alerts) view.nights[night].alert = id;
  const auto figure = series_figure(view, SeriesNames(maker.history));
  return figure ? figure->in_text : "";
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, text::width(line));
  return most;
}

TEST(Chart, NoValues_AreEmptyAndEqualOnesALine) {
  EXPECT_EQ(chart_of({}), "");
  EXPECT_EQ(chart_of({std::nullopt, std::nullopt}), "");
  EXPECT_EQ(chart_of({std::numeric_limits<double>::quiet_NaN()}), "");
  EXPECT_THAT(chart_of({76e6}), AllOf(HasSubstr("2026-01-01\n"), HasSubstr("⠉")));
  EXPECT_THAT(chart_of({5.0, 5.0, 5.0}), HasSubstr("⠉⠉⠉"));
  EXPECT_THAT(chart_of({1.0, std::nullopt, 1.0}), HasSubstr("⠉ ⠉"));
}

TEST(Chart, ManyNights_ShowTheNewest) {
  for (const std::size_t nights : {59U, 60U, 61U, 120U, 200U, 365U}) {
    const std::string chart = chart_of(NightMaker::steady(nights));
    EXPECT_LE(widest(chart), kChartColumns + std::string("76.0 ms").size() + 2) << nights;
    EXPECT_THAT(chart, HasSubstr(NightMaker::run_id(nights - 1).substr(0, 10)));
    if (nights == 200) {
      EXPECT_THAT(chart, HasSubstr(NightMaker::run_id(80).substr(0, 10)));
    }
  }
}

TEST(Chart, Nights_AreMarkedBelow) {
  const std::string chart = chart_of(NightMaker::steady(20), {{3, "A1"}, {12, "A2"}});
  EXPECT_THAT(chart, HasSubstr("  alert     A1       A2\n"));
  EXPECT_THAT(chart, Not(HasSubstr("busy")));
}

}  // namespace
}  // namespace stepbench::report
