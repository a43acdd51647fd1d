// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "harness/report/internal/html/trace_charts.h"
#include "harness/report/pages.h"
#include "harness/report/trace_analysis.h"
#include "harness/traces/rules.h"
#include "tests/testing.h"
#include "tests/unit/report/charts/charted.h"
#include "tests/unit/traces/trace_maker.h"

namespace stepbench::report {
namespace {

using test::figures_of;
using test::Json;

// Six steps: loading for 10 ms and `extra_ns`, computing for 30, then idle for 5.
traces::Trace loading_trace(std::int64_t extra_ns = 0) {
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

TEST(TraceCharts, PartsOfEachStep_SumAsAnalysed) {
  const traces::Trace trace = loading_trace();
  const AnalysedTrace analysed{
      .trace = &trace, .path = "a.json", .analysis = traces::analyse(trace)};
  const auto section = trace_section(analysed, 0, "steps");
  ASSERT_TRUE(section);
  const auto figures = figures_of(*section);
  ASSERT_EQ(figures.size(), 1U);
  const Json& asked = figures[0].json;
  const Json json = Json::parse(analysis_json(analysed, 0));
  const Json& idle = json["idle"][asked["idle"].get<std::size_t>()];
  for (std::size_t step = 0; step < idle["wall_ns"].size(); ++step) {
    std::int64_t sum = 0;
    for (const auto& [key, words] : asked["parts"].items()) {
      sum += idle[key][step].get<std::int64_t>();
    }
    EXPECT_EQ(sum, idle["wall_ns"][step]) << step;
  }
}

TEST(TraceCharts, SlowRank_IsNamed) {
  traces::RankReport report;
  report.steps = 8;
  report.rows = {{.rank = 0, .step_ns = 60e6, .work_ns = 50e6, .wait_ns = 10e6},
                 {.rank = 3, .step_ns = 60e6, .work_ns = 60e6, .wait_ns = 0}};
  report.straggler = traces::Straggler{.rank = 3, .gain_ns = 10e6};
  const auto figures = rank_figures(report, 2);
  ASSERT_FALSE(figures.empty());
  EXPECT_EQ(Json::parse(figures[0].json)["job"], 2);
  EXPECT_THAT(figures[0].alt, HasSubstr("rank 3 is the slowest"));
  EXPECT_TRUE(rank_figures({}, 0).empty());
}

// Ranks of a job: all leave the all-reduce at the end of a step together, `late` enters it 15 ms
// after the others.
traces::Trace trace_of_rank(std::int64_t rank, std::int64_t world, std::int64_t late) {
  TraceMaker maker;
  maker.builder.trace().rank = rank;
  maker.builder.trace().world = world;
  for (std::int64_t number = 0; number < 6; ++number) {
    const std::int64_t at_ns = 1'000'000'000 + number * 60 * kMillisecond;
    const std::int64_t own_ns = (rank == late ? 50 : 35) * kMillisecond;
    maker.step(number, at_ns, at_ns + 60 * kMillisecond);
    maker.op("aten::mm", at_ns, at_ns + own_ns);
    maker.called(maker.kernel("gemm", at_ns + 20'000, at_ns + own_ns), "cudaLaunchKernel",
                 at_ns + 1'000, at_ns + 5'000);
    maker.called(maker.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", at_ns + own_ns,
                              at_ns + 60 * kMillisecond, 30),
                 "cudaLaunchKernel", at_ns + own_ns - 9'000, at_ns + own_ns - 5'000);
  }
  return maker.finish();
}

// The page of some traces, which it owns.
struct TracePage {
  std::deque<traces::Trace> traces = {};
  std::vector<AnalysedTrace> analysed = {};

  void add(const std::string& path, traces::Trace trace) {
    traces.push_back(std::move(trace));
    analysed.push_back(
        {.trace = &traces.back(), .path = path, .analysis = traces::analyse(traces.back())});
  }
  void add_job(std::int64_t world, std::int64_t late) {
    for (std::int64_t rank = world - 1; rank >= 0; --rank) {
      add("rank" + std::to_string(rank) + ".json", trace_of_rank(rank, world, late));
    }
  }
  [[nodiscard]] ReportContent content() const { return analysis_content(analysed, {}); }
};

std::vector<std::string> titles_of(const ReportContent& content) {
  std::vector<std::string> titles;
  for (const document::Chapter& each : content.sections) titles.push_back(each.title);
  return titles;
}

TEST(TracePage, Ranks_NameTheSlowOneFirst) {
  TracePage page;
  page.add_job(3, 2);
  const ReportContent content = page.content();
  EXPECT_THAT(content.answer.text, StartsWith("rank 2 holds the others up by 15.0 ms per step"));
  EXPECT_THAT(content.answer.text, HasSubstr("most of all compute, +15.0 ms"));
  EXPECT_EQ(content.answer.tone, document::Tone::kDoubt);
  EXPECT_THAT(titles_of(content), ElementsAre("Ranks", "Rank 0", "Rank 1", "Rank 2"));
  EXPECT_FALSE(content.sections[0].folded);
  EXPECT_TRUE(content.sections[3].folded);
  EXPECT_EQ(figures_of(content.sections[0]).size(), 3U) << "waits, a step in lanes, the matrix";
  EXPECT_EQ(figures_of(content.sections[1]).size(), 1U) << "its steps";
  EXPECT_EQ(Json::parse(content.data).back()["ranks"]["straggler"]["rank"], 2);
  TracePage alike;
  alike.add_job(3, -1);
  EXPECT_THAT(alike.content().answer.text, StartsWith("no rank holds the others up"));
  EXPECT_EQ(alike.content().answer.tone, document::Tone::kPlain);
}

TEST(TracePage, SeveralJobs_NameTheStraggler) {
  TracePage page;
  page.add_job(2, -1);
  page.add("else/rank0.json", loading_trace());
  page.add_job(3, 1);
  const ReportContent content = page.content();
  EXPECT_THAT(content.answer.text, StartsWith("job 2: rank 1 holds the others up by 15.0 ms"));
  EXPECT_THAT(
      titles_of(content),
      ElementsAre("Ranks of job 1", "Ranks of job 2", "Rank 0 of job 1", "Rank 1 of job 1",
                  "Rank 0 of job 2", "Rank 1 of job 2", "Rank 2 of job 2", "else/rank0.json"));
  std::set<std::string> ids;
  for (const document::Chapter& each : content.sections) ids.insert(each.id);
  EXPECT_EQ(ids.size(), content.sections.size()) << "a link leads to one chapter";
}

TEST(TracePage, TwoTraces_AreNamedInTheAnswer) {
  TracePage page;
  page.add("a.json", loading_trace());
  EXPECT_THAT(titles_of(page.content()), ElementsAre("Overview", "Steps of the trace", "Tables"));
  EXPECT_THAT(page.content().answer.text, Not(HasSubstr("a.json")));
  page.add("b.json", loading_trace());
  EXPECT_THAT(titles_of(page.content()), ElementsAre("a.json", "b.json"));
  EXPECT_THAT(page.content().answer.text, StartsWith("a.json: "));
  EXPECT_FALSE(page.content().sections[1].folded);
}

TEST(TraceCharts, TwoTraces_DifferAsTheirTable) {
  const traces::Trace base = loading_trace();
  const traces::Trace next = loading_trace(8 * kMillisecond);
  const traces::TraceDiff diff =
      traces::compare_traces(traces::diff_side("base", base, traces::analyse(base), {}),
                             traces::diff_side("new", next, traces::analyse(next), {}));
  const auto section = diff_section(diff, 0, "changes");
  ASSERT_TRUE(section);
  const auto figures = figures_of(*section);
  ASSERT_FALSE(figures.empty());
  EXPECT_EQ(figures.front().json["rows"], "parts");
  EXPECT_EQ(figures.front().json["names"].size(), diff.parts.size());
  const Json written = Json::parse(diff_json(diff, 0))["diff"];
  double sum = 0;
  for (const Json& part : written["parts"]) sum += part["difference_ns"].get<double>();
  EXPECT_NEAR(sum, diff.step.difference_ns(), 1);
  EXPECT_NEAR(sum, 8e6, 1e5);
  for (const test::ReadFigure& read : figures) {
    EXPECT_TRUE(written.contains(read.json["rows"].get<std::string>())) << read.figure.title;
  }
  EXPECT_FALSE(diff_section({}, 0, "changes"));
}

}  // namespace
}  // namespace stepbench::report
