// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/comparison_charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/report/comparison_cells.h"
#include "harness/report/comparison_document.h"
#include "harness/report/comparison_json.h"
#include "harness/report/exports.h"
#include "harness/report/read_comparison.h"
#include "tests/unit/compare/result_maker.h"
#include "tests/unit/report/charts/charted.h"

namespace stepbench::report {
namespace {

using test::Json;
using ::testing::HasSubstr;
using testing_compare::around_10_ms;
using testing_compare::MadeResults;
using testing_compare::make;

MadeResults three_cases(double factor, int seed, int launches) {
  return {.cases = {{.case_id = "aaaa", .num_workers = 2, .step_ns = around_10_ms(factor, seed)},
                    {.case_id = "bbbb", .num_workers = 4, .step_ns = around_10_ms(1, seed + 1)},
                    {.case_id = "cccc", .num_workers = 8, .step_ns = around_10_ms(1, seed + 2)}},
          .launches = launches};
}

compare::Comparison slower_by_a_twentieth(int launches = 20) {
  const record::Results base = make(three_cases(1, 0, launches));
  MadeResults changed = three_cases(1.05, 3, launches);
  changed.cases[0].data_wait_ns = [](int) { return 1'500'000; };
  changed.cases.pop_back();
  const record::Results candidate = make(changed);
  return compare::compare({&base, "old"}, {&candidate, "<i>new</i>"}, {});
}

const Json* trace_named(const Json& figure, const std::string& name) {
  const auto found = std::find_if(figure["data"].begin(), figure["data"].end(),
                                  [&](const Json& trace) { return trace["name"] == name; });
  return found == figure["data"].end() ? nullptr : &*found;
}

TEST(ComparisonCharts, EveryMetric_HasChangeAndMargin) {
  const compare::Comparison comparison = slower_by_a_twentieth();
  const Json json = Json::parse(forest_figure(comparison).value().json);
  std::vector<const compare::MetricResult*> rows;
  for (const compare::CaseResult& one : comparison.cases) {
    for (const compare::MetricResult& metric : one.metrics) rows.push_back(&metric);
  }
  std::size_t drawn = 0;
  for (const Json& trace : json["data"]) {
    if (trace["type"] != "scatter" || trace["name"] == "base against itself") continue;
    for (std::size_t i = 0; i < trace["y"].size(); ++i, ++drawn) {
      const compare::TestResult& told = rows.at(trace["y"][i].get<std::size_t>())->test;
      const double change = trace["x"][i];
      EXPECT_NEAR(change, 100 * *told.change, 1e-3);
      const Json& bars = trace["error_x"];
      EXPECT_NEAR(change + bars["array"][i].get<double>(), 100 * told.interval.high, 1e-3);
      EXPECT_NEAR(change - bars["arrayminus"][i].get<double>(), 100 * told.interval.low, 1e-3);
    }
  }
  EXPECT_EQ(drawn, rows.size());
  const Json* margins = trace_named(json, "margin: does not matter");
  ASSERT_NE(margins, nullptr);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR((*margins)["x"][i].get<double>(), 200 * rows[i]->margin, 1e-6);
  }
  // One was measured after the other.
  EXPECT_EQ(trace_named(json, "worse"), nullptr);
  ASSERT_NE(trace_named(json, "perhaps worse"), nullptr);
  EXPECT_EQ((*trace_named(json, "perhaps worse"))["y"], Json::parse("[0]"));
}

TEST(ComparisonCharts, ABaseThatWasMeasuredOftenStandsBesideItself) {
  const compare::Comparison comparison = slower_by_a_twentieth(32);
  ASSERT_TRUE(comparison.aa_control.change);
  EXPECT_LE(comparison.aa_control.interval.low, *comparison.aa_control.change);
  EXPECT_LT(std::abs(*comparison.aa_control.change), 0.01);
  const Json json = Json::parse(forest_figure(comparison)->json);
  const Json* control = trace_named(json, "base against itself");
  ASSERT_NE(control, nullptr);
  EXPECT_NEAR((*control)["x"][0].get<double>(), 100 * *comparison.aa_control.change, 1e-3);
  const compare::Comparison back = read_comparisons(comparison_json(comparison)).front();
  EXPECT_EQ(back.aa_control.change, comparison.aa_control.change);
  EXPECT_EQ(back.aa_control.interval.high, comparison.aa_control.interval.high);
}

TEST(ComparisonCharts, TheSizeOfAClaimStandsCorrectedBesideIt) {
  compare::Comparison comparison = slower_by_a_twentieth();
  const auto cases = [&] {
    return metric_rows(comparison, ComparisonNames(comparison), true, false).table;
  };
  const std::size_t columns = cases().columns.size();
  EXPECT_EQ(forest_figure(comparison)->json.find("corrected"), std::string::npos);
  comparison.cases[0].metrics[0].test.corrected_change = 0.0421;
  EXPECT_THAT(forest_figure(comparison)->json,
              HasSubstr("corrected for having been claimed: +4.21 %"));
  EXPECT_EQ(cases().columns.size(), columns + 1);
  const auto has_size = ::testing::Contains(::testing::Field(&document::Cell::text, "+4.21 %"));
  EXPECT_THAT(cases().rows[0].cells, has_size);
  EXPECT_THAT(cases().rows[1].cells, ::testing::Not(has_size));
  EXPECT_THAT(verdict_csv({&comparison, 1}), HasSubstr(",0.0421"));
}

TEST(ComparisonCharts, TheBarsOfACauseLeadFromTheOldStepToTheNewOne) {
  const compare::Comparison comparison = slower_by_a_twentieth();
  const auto figure = cause_figure(comparison, 0);
  ASSERT_TRUE(figure);
  const Json trace = Json::parse(figure->json)["data"][0];
  EXPECT_EQ(trace["type"], "waterfall");
  const Json& bars = trace["y"];
  double at = bars[0];
  for (std::size_t i = 1; i + 1 < bars.size(); ++i) at += bars[i].get<double>();
  EXPECT_NEAR(at, bars.back().get<double>(), 1e-3);
  EXPECT_NEAR(bars[1].get<double>(), 0.5, 1e-3) << "data_wait";
  EXPECT_FALSE(cause_figure(comparison, 1)) << "nothing changed there";
}

TEST(ComparisonCharts, TooFewLaunchesHaveNoIntervalAndTheFigureSaysSo) {
  const compare::Comparison comparison = slower_by_a_twentieth(3);
  const auto figure = forest_figure(comparison);
  ASSERT_TRUE(figure);
  EXPECT_THAT(figure->note, HasSubstr("without an interval"));
  EXPECT_FALSE(forest_figure({})) << "nothing to draw";
  EXPECT_EQ(comparison_sections(std::vector<compare::Comparison>(1)).size(), 1U);
}

}  // namespace
}  // namespace stepbench::report
