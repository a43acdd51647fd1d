// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/analyze/rules.h"
#include "harness/report/html/analysis_charts.h"
#include "tests/unit/analyze/trace_maker.h"
#include "tests/unit/report/charts/charted.h"

namespace stepbench::report {
namespace {

using test::figures_of;
using test::Json;
using testing::kMillisecond;
using testing::TraceMaker;

// Six steps: loading for 10 ms and `extra_ns`, computing for 30, then nothing for 5.
trace::Trace loading_trace(std::int64_t extra_ns = 0) {
  TraceMaker maker;
  std::int64_t at_ns = 0;
  for (std::int64_t number = 0; number < 6; ++number) {
    const std::int64_t loading_ns = 10 * kMillisecond + extra_ns;
    maker.step(number, at_ns, at_ns + loading_ns + 35 * kMillisecond);
    maker.loading(at_ns, at_ns + loading_ns);
    maker.op("aten::mm", at_ns + loading_ns, at_ns + loading_ns + 30 * kMillisecond);
    maker.kernel("gemm", at_ns + loading_ns, at_ns + loading_ns + 30 * kMillisecond);
    at_ns += loading_ns + 35 * kMillisecond;
  }
  return maker.finish();
}

TEST(TraceCharts, ThePartsOfEveryStepSumToItAsTheAnalysisHasThem) {
  const trace::Trace trace = loading_trace();
  const AnalysedTrace analysed{
      .trace = &trace, .path = "a.json", .analysis = analyze::analyse(trace)};
  const auto figure = steps_figure(analysed);
  ASSERT_TRUE(figure);
  const Json json = Json::parse(figure->json);
  const analyze::IdleReport& report = *analysed.analysis.idle_of({});
  EXPECT_EQ(json["layout"]["barmode"], "stack");
  for (std::size_t step = 0; step < report.steps.size(); ++step) {
    double sum = 0;
    for (const Json& bar : json["data"]) sum += bar["y"][step].get<double>();
    EXPECT_NEAR(sum, static_cast<double>(report.steps[step].wall_ns) / 1e6, 1e-3);
  }
  const auto section = trace_section(analysed, "steps");
  ASSERT_TRUE(section);
  EXPECT_EQ(figures_of(*section).size(), 2U);
}

TEST(TraceCharts, ATraceWithoutStepsHasNoneOfTheseCharts) {
  TraceMaker maker;
  maker.op("aten::mm", 0, 10);
  const trace::Trace trace = maker.finish();
  const AnalysedTrace analysed{
      .trace = &trace, .path = "a.json", .analysis = analyze::analyse(trace)};
  if (const auto figure = steps_figure(analysed)) {
    EXPECT_EQ(Json::parse(figure->json)["layout"]["barmode"], "stack");
  }
  EXPECT_TRUE(rank_sections({&analysed, 1}).empty());
}

TEST(TraceCharts, TheRankThatTheOthersWaitForIsMarked) {
  analyze::RankReport report;
  report.steps = 8;
  report.rows = {{.rank = 0, .step_ns = 60e6, .work_ns = 50e6, .wait_ns = 10e6},
                 {.rank = 3, .step_ns = 60e6, .work_ns = 60e6, .wait_ns = 0}};
  report.straggler = analyze::Straggler{.rank = 3, .gain_ns = 10e6};
  const auto figure = ranks_figure(report);
  ASSERT_TRUE(figure);
  const Json json = Json::parse(figure->json);
  EXPECT_EQ(json["layout"]["xaxis"]["ticktext"], Json::parse(R"json(["0","3 (straggler)"])json"));
  EXPECT_EQ(json["data"][0]["y"], Json::parse("[50,60]"));
  EXPECT_EQ(json["data"][1]["y"], Json::parse("[10,0]"));
  EXPECT_FALSE(ranks_figure({}));
}

TEST(TraceCharts, TwoTracesDifferByWhatTheirTableSays) {
  const trace::Trace base = loading_trace();
  const trace::Trace next = loading_trace(8 * kMillisecond);
  const analyze::TraceDiff diff =
      analyze::compare_traces(analyze::diff_side("base", base, analyze::analyse(base), {}),
                              analyze::diff_side("new", next, analyze::analyse(next), {}));
  const auto section = diff_section(diff, "changes");
  ASSERT_TRUE(section);
  const auto figures = figures_of(*section);
  ASSERT_FALSE(figures.empty());
  const Json& bars = figures.front().json["data"][0]["x"];
  ASSERT_EQ(bars.size(), diff.parts.size());
  double sum = 0;
  for (const Json& bar : bars) sum += bar.get<double>();
  EXPECT_NEAR(sum, diff.step.difference_ns() / 1e6, 1e-3);
  EXPECT_NEAR(sum, 8, 0.1);
  EXPECT_FALSE(diff_section({}, "changes"));
}

}  // namespace
}  // namespace stepbench::report
