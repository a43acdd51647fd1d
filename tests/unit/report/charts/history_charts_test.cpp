// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/history_charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/json/line_error.h"
#include "harness/report/html/night_charts.h"
#include "harness/report/night_json.h"
#include "tests/unit/report/charts/charted.h"
#include "tests/unit/track/night/history_maker.h"

namespace stepbench::report {
namespace {

using test::figures_of;
using test::HistoryMaker;
using test::Json;
using test::Nightly;
using ::testing::HasSubstr;

// One series that became 8 % slower in night 22, one that stayed, a night without a value.
HistoryMaker moved_history() {
  HistoryMaker maker;
  Nightly slower = HistoryMaker::steady(26, 53e6);
  for (std::size_t i = 22; i < slower.size(); ++i) slower[i] = *slower[i] * 1.08;
  slower[5].reset();
  maker.add_series("0", slower);
  maker.add_series("1", HistoryMaker::steady(26, 51e6));
  maker.run(22).git_sha = "0123456789abcdef";
  maker.run(22).labels = {{"branch", Value(std::string("<main>"))}};
  maker.measure(maker.judge(22), track::AlertState::kRegression, 0.079);
  return maker;
}

const Json* trace_called(const Json& figure, const std::string& name) {
  for (const Json& trace : figure["data"]) {
    if (trace["name"] == name) return &trace;
  }
  return nullptr;
}

TEST(HistoryCharts, ASeriesIsDrawnWithItsNightsLevelsAndAlert) {
  const HistoryMaker maker = moved_history();
  const auto section = history_section(maker.history, maker.events, maker.screen);
  ASSERT_TRUE(section);
  const auto figures = figures_of(*section);
  ASSERT_EQ(figures.size(), 2U);
  const track::SeriesHistory& series = maker.history.series.front();
  const Json* values = trace_called(figures[0].json, "value with its interval");
  ASSERT_NE(values, nullptr) << "the series of the alert comes first";
  ASSERT_EQ((*values)["y"].size(), series.points.size());
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    EXPECT_TRUE(test::is_near((*values)["y"][i].get<double>(), series.points[i].value / 1e6));
  }
  const Json* alert = trace_called(figures[0].json, "alert: worse");
  ASSERT_NE(alert, nullptr);
  ASSERT_EQ((*alert)["x"].size(), 1U);
  EXPECT_EQ((*alert)["x"][0], maker.history.runs[22].started_utc);
  const std::string hover = (*alert)["hovertext"][0];
  EXPECT_THAT(hover, HasSubstr("commit 01234567"));
  EXPECT_THAT(hover, HasSubstr("branch=&lt;main&gt;"));
  EXPECT_THAT(hover, HasSubstr("A1: regression"));
  EXPECT_NE(trace_called(figures[0].json, "level between its changes"), nullptr);
  EXPECT_EQ(trace_called(figures[1].json, "alert: worse"), nullptr);
  EXPECT_THAT(figures[0].figure.note, HasSubstr("1 night without a value is left out"));
}

TEST(HistoryCharts, AnEmptyHistoryHasNoSection) { EXPECT_FALSE(history_section({}, {}, {})); }

TEST(NightCharts, EverySeriesStandsAtItsChange) {
  HistoryMaker maker = moved_history();
  const campaign::CheckedNight night{.night = maker.look(23), .history = maker.history};
  const std::string json = night_json(night, {});
  const auto section = night_section(json);
  ASSERT_TRUE(section);
  const auto figures = figures_of(*section);
  ASSERT_EQ(figures.size(), 1U);
  std::vector<double> drawn;
  for (const Json& trace : figures[0].json["data"]) {
    for (const Json& change : trace["x"]) drawn.push_back(change.get<double>());
  }
  std::vector<::testing::Matcher<double>> told;
  const Json source = Json::parse(json);
  for (const Json& series : source["series"]) {
    if (series["change"].is_number()) {
      told.push_back(::testing::DoubleNear(100 * series["change"].get<double>(), 1e-2));
    }
  }
  EXPECT_THAT(drawn, ::testing::UnorderedElementsAreArray(told));
  EXPECT_THAT(test::words_of(*section), HasSubstr(source["alerts"][0]["text"].get<std::string>()));
}

TEST(NightCharts, WhatIsNoNightIsRefused) {
  EXPECT_THROW((void)night_section(R"({"schema":"stepbench.verdict","version":"1.0.0"})"),
               json::LineError);
  EXPECT_THROW((void)night_section(night_error_json(2, "cannot be read")), json::LineError);
}

}  // namespace
}  // namespace stepbench::report
