// SPDX-License-Identifier: Apache-2.0
// Anatomy, distributions and launches of a run, held against the rows of the table and the steps of
// the file. With STEPBENCH_APPROVE=1 the golden figures are rewritten.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "harness/base/launch_flags.h"
#include "harness/findings/finding.h"
#include "harness/report/html/anatomy.h"
#include "harness/report/html/case_chart.h"
#include "harness/report/html/distributions.h"
#include "harness/report/html/launches.h"
#include "harness/report/html/sweep_charts.h"
#include "harness/stats/order.h"
#include "tests/unit/report/charts/charted.h"

namespace stepbench::report {
namespace {

using test::figures_of;
using test::Json;
using test::PlannedCase;
using test::ReadFigure;
using ::testing::HasSubstr;

const Json* trace_named(const ReadFigure& read, const std::string& name) {
  for (const Json& trace : read.json["data"]) {
    if (trace.value("name", "").starts_with(name)) return &trace;
  }
  return nullptr;
}

// Lengths of the bars at each place, summed.
std::map<double, double> bar_sums(const ReadFigure& read) {
  std::map<double, double> sums;
  for (const Json& trace : read.json["data"]) {
    if (trace["type"] != "bar") continue;
    for (std::size_t i = 0; i < trace["x"].size(); ++i) {
      sums[trace["y"][i]] += trace["x"][i].get<double>();
    }
  }
  return sums;
}

// Times a phase of a device, and of a stream beside it.
record::Results device_results() {
  record::Results results = test::planned_results(
      {{.options = {{"a", std::int64_t{1}}}, .step_ns = {2'000'000, 2'000'000, 2'100'000}},
       {.options = {{"a", std::int64_t{2}}}}});
  for (record::Launch& launch : results.launches) {
    launch.row.options["device"] = std::string("cuda");
    for (record::CycleSamples& part : launch.samples) {
      const std::size_t steps = part.steps.steps();
      part.steps.add("period_device_ns", steps).assign(steps, 3'000'000);
      part.steps.add("forward_device_ns", steps).assign(steps, 1'000'000);
      part.steps.add("other_device_ns", steps).assign(steps, 2'000'000);
      part.steps.add("h2d_side_device_ns", steps).assign(steps, 400'000);
    }
  }
  return results;
}

TEST(Anatomy, BarsSumToTheStepOfTheTable) {
  for (const auto& path : {test::kSample, test::kReportData / "sweep.jsonl",
                           test::kReportData / "dataloader_sweep.jsonl"}) {
    const record::Results results = record::read_results(path);
    const TableFacts facts = table_facts(results, {});
    const auto section = anatomy_section(facts, {});
    ASSERT_TRUE(section);
    std::vector<const estimate::CaseRow*> rows;
    for (const estimate::CaseRow& row : facts.rows) {
      if (!row.phases.empty()) rows.push_back(&row);
    }
    const auto figures = figures_of(*section);
    const auto sums = bar_sums(figures[0]);
    ASSERT_EQ(sums.size(), rows.size()) << path;
    for (const auto& [place, sum] : sums) {
      const estimate::CaseRow& row = *rows[static_cast<std::size_t>(place)];
      EXPECT_TRUE(test::is_near(sum, *row.step_host_ns / facts.unit.ns)) << row.case_id;
    }
    EXPECT_EQ(figures[1].figure.choice, "shares");
    for (const auto& [place, sum] : bar_sums(figures[1])) EXPECT_NEAR(sum, 100, 0.05);
  }
}

TEST(Anatomy, HostDeviceAndSideStreamsAreFiguresOfTheirOwn) {
  const record::Results results = device_results();
  const TableFacts facts = table_facts(results, {});
  const auto section = anatomy_section(facts, {});
  ASSERT_TRUE(section);
  const auto figures = figures_of(*section);
  ASSERT_EQ(figures.size(), 6U);
  EXPECT_THAT(figures[2].figure.title, HasSubstr("on the stream that computes"));
  EXPECT_DOUBLE_EQ(bar_sums(figures[2]).at(0), 3);
  EXPECT_THAT(figures[4].figure.title, HasSubstr("beside the step"));
  EXPECT_DOUBLE_EQ(bar_sums(figures[4]).at(0), 0.4);
  EXPECT_EQ(trace_named(figures[0], "step"), nullptr) << "the step is the device's";
  const Json* step = trace_named(figures[2], "step, device [ms]");
  ASSERT_NE(step, nullptr);
  EXPECT_DOUBLE_EQ((*step)["x"][0], 3);
}

TEST(Anatomy, MarksTheWaitTheEpochGapAndFindingsBesideTheirCase) {
  record::Results results = test::planned_results(
      {{.options = {{"a", std::int64_t{1}}}, .step_ns = {2'000'000, 2'000'000}}});
  for (record::Launch& launch : results.launches) {
    auto& columns = launch.samples[0].steps;
    *columns.find("data_wait_ns") = {900'000, 100'000, 100'000, 100'000};
    *columns.find("other_ns") = {1'100'000, 1'900'000, 1'900'000, 1'900'000};
    columns.add("epoch_wait_ns", 4) = {900'000, 0, 0, 0};
    launch.row.report.findings = {{.id = "loader.starved",
                                   .severity = Severity::kWarning,
                                   .text = "<b>too few</b> workers",
                                   .remedy = "Take more."}};
  }
  const TableFacts facts = table_facts(results, {});
  const auto section = anatomy_section(facts, {});
  ASSERT_TRUE(section);
  const ReadFigure figure = figures_of(*section)[0];
  EXPECT_EQ((*trace_named(figure, "data_wait"))["marker"]["pattern"]["shape"], "/");
  const Json* gap = trace_named(figure, "epoch gap");
  ASSERT_NE(gap, nullptr);
  EXPECT_TRUE(test::is_near((*gap)["x"][0], *facts.rows[0].epoch_gap_per_step_ns / facts.unit.ns));
  const Json* finding = trace_named(figure, "problem or warning");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT((*finding)["hovertext"][0].get<std::string>(),
              HasSubstr("warning: &lt;b&gt;too few&lt;/b&gt; workers"));
}

TEST(Distributions, HaveEveryStepOfTheFileAndThePercentilesOfTheTable) {
  const record::Results results = record::read_results(test::kSample);
  const TableFacts facts = table_facts(results, {});
  const auto section = distributions_section(facts, {});
  ASSERT_TRUE(section);
  const auto figures = figures_of(*section);
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(section->steps_drawn, 180);
  for (const ReadFigure& read : figures) {
    const auto row =
        std::find_if(facts.rows.begin(), facts.rows.end(), [&](const estimate::CaseRow& each) {
          return read.figure.title.starts_with(facts.names.name(each) + " (");
        });
    ASSERT_NE(row, facts.rows.end());
    const Json& shapes = read.json["layout"]["shapes"];
    ASSERT_EQ(shapes.size(), 2U) << "20 steps tell no p99";
    EXPECT_TRUE(test::is_near(shapes[0]["x0"], *row->p50_ns / facts.unit.ns));
    EXPECT_TRUE(test::is_near(shapes[1]["x0"], *row->p90_ns / facts.unit.ns));
    for (std::size_t i = 0; i < row->measured.size(); ++i) {
      const auto& steps = row->measured[i].launch->samples[0].steps.column("step_ns");
      std::vector<std::int64_t> sorted = steps;
      std::sort(sorted.begin(), sorted.end());
      const Json& shares = read.json["data"][i];
      const Json& series = read.json["data"][row->measured.size() + i];
      ASSERT_EQ(series["y"].size(), steps.size());
      for (std::size_t step = 0; step < steps.size(); ++step) {
        EXPECT_TRUE(test::is_near(series["y"][step], double(steps[step]) / facts.unit.ns));
        EXPECT_TRUE(test::is_near(shares["x"][step], double(sorted[step]) / facts.unit.ns));
        EXPECT_NEAR(shares["y"][step].get<double>(), 5.0 * double(step + 1), 0.01);
      }
    }
  }
}

TEST(Distributions, OfALatency_MarkFlagsAndLeaveWaitsOut) {
  record::Results results =
      test::planned_results({{.options = {{"a", std::int64_t{1}}}, .step_ns = {1'000'000}}});
  results.launches[0].row.options["schedule.sync"] = std::string("step");
  const auto section = distributions_section(table_facts(results, {}), {});
  ASSERT_TRUE(section);
  const ReadFigure read = figures_of(*section)[0];
  const Json* border = trace_named(read, "epoch border, 1 step");
  ASSERT_NE(border, nullptr);
  EXPECT_EQ((*border)["x"], Json::parse("[8]"));
  EXPECT_EQ((*border)["xaxis"], "x2");
  EXPECT_EQ(read.json["data"][0]["x"][0], 750) << "the wait for data left out";
  EXPECT_EQ(read.json["data"][1]["y"][0], 1000) << "over time the whole step";
}

// One launch of `steps` steps with a slow one.
record::Results long_launch(std::size_t steps, std::size_t slow) {
  record::Results results =
      test::planned_results({{.options = {{"a", std::int64_t{1}}}, .step_ns = {1'000'000}}});
  std::vector<std::int64_t> times(steps);
  std::vector<std::int64_t> index(steps);
  for (std::size_t i = 0; i < steps; ++i) {
    times[i] = 1'000'000 + static_cast<std::int64_t>(i * 7919 % 1000);
    index[i] = static_cast<std::int64_t>(i);
  }
  times[slow] = 50'000'000;
  results.launches[0].samples = {
      {.cycle = 0, .steps = {.names = {"index", "step_ns"}, .columns = {index, times}}}};
  return results;
}

TEST(Distributions, OfManyStepsKeepTheSlowestAndSayHowManyAreDrawn) {
  const record::Results results = long_launch(100'000, 54'321);
  const auto section = distributions_section(table_facts(results, {}), {.points = 1000});
  ASSERT_TRUE(section);
  const ReadFigure read = figures_of(*section)[0];
  EXPECT_THAT(read.figure.note, HasSubstr(" of 100,000 steps are drawn"));
  EXPECT_LE(section->steps_drawn, 500);
  std::size_t points = 0;
  for (const Json& trace : read.json["data"]) points += trace["y"].size();
  EXPECT_LE(points, 1000U);
  const Json& series = read.json["data"][1];
  const auto slow = std::find(series["x"].begin(), series["x"].end(), 54'321);
  ASSERT_NE(slow, series["x"].end());
  EXPECT_EQ(series["y"][static_cast<std::size_t>(slow - series["x"].begin())].get<double>(), 50);
}

TEST(RunCharts, OfManyCases_AreTheBestAndTheDoubtful) {
  std::vector<PlannedCase> cases;
  for (std::int64_t i = 0; i < 60; ++i) {
    cases.push_back({.options = {{"a", i}}, .step_ns = {(i + 100) * 1'000'000}});
  }
  record::Results results = test::planned_results(cases);
  for (record::Launch& launch : results.launches) {
    Series& steps = launch.samples[0].steps;
    steps.find("data_wait_ns")->assign(4, 0);
    *steps.find("other_ns") = steps.column("step_ns");
  }
  results.launches[50].row.report.findings = {{.id = "x", .severity = Severity::kWarning}};
  const TableFacts facts = table_facts(results, {});
  const auto drawn = figures_of(distributions_section(facts, {}).value());
  ASSERT_EQ(drawn.size(), 13U);
  EXPECT_TRUE(drawn[12].figure.title.starts_with("a=50 "));
  EXPECT_FALSE(drawn[0].figure.folded);
  EXPECT_TRUE(drawn[12].figure.folded);
  EXPECT_EQ(figures_of(anatomy_section(facts, {}).value())[0].figure.note,
            "Drawn are the 40 best of 60 cases.");
}

TEST(LaunchCharts, ShowEachLaunchWhenItStartedWithTheNumberOfItsPage) {
  const record::Results results = record::read_results(test::kSample);
  const TableFacts facts = table_facts(results, {});
  std::map<std::string, double> expected;
  for (const estimate::CaseRow& row : facts.rows) {
    for (const auto& [launch, estimate] : row.measured) {
      expected[launch->row.started_utc] =
          estimate::headline_ns(estimate, row.clock) / facts.unit.ns;
    }
  }
  const auto figures = figures_of(launches_section(facts, {}).value());
  std::set<std::string> seen;
  for (const Json& trace : figures[0].json["data"]) {
    for (std::size_t i = 0; i < trace["x"].size(); ++i) {
      const std::string start = trace["x"][i].get<std::string>() + "Z";
      seen.insert(start);
      EXPECT_TRUE(test::is_near(trace["y"][i], expected.at(start))) << start;
    }
  }
  EXPECT_EQ(seen.size(), 9U);
  const Json* drifting = trace_named(figures[0], "warm-up or drift");
  ASSERT_NE(drifting, nullptr);
  EXPECT_EQ((*drifting)["x"], Json::parse(R"(["2026-11-22T03:16:02"])"));
}

TEST(LaunchCharts, FailedOnesAreMarksWithTheirReasonAndBusyOnesAreRinged) {
  record::Results results = test::planned_results(
      {{.options = {{"a", std::int64_t{1}}}, .step_ns = {1'000'000, 1'200'000}},
       {.options = {{"a", std::int64_t{2}}}, .reason = "<i>no memory</i>"},
       {.options = {{"a", std::int64_t{3}}}}});
  results.launches[3].row.outcome = Outcome::skipped("no GPU");
  results.launches[1].row.report.flags = {std::string(launch_flag::kSteal)};
  results.launches[1].row.machine["gpu.temperature_c_max"] = std::int64_t{71};
  const TableFacts facts = table_facts(results, {});
  const auto section = launches_section(facts, {});
  ASSERT_TRUE(section);
  const auto figures = figures_of(*section);
  const ReadFigure& read = figures[0];
  for (const auto& [name, words] :
       {std::pair{"failed: no number", "failed: &lt;i&gt;no memory&lt;/i&gt;"},
        std::pair{"machine busy", "the hypervisor took CPU time away"}}) {
    const Json* marks = trace_named(read, name);
    ASSERT_NE(marks, nullptr) << name;
    EXPECT_THAT((*marks)["hovertext"][0].get<std::string>(), HasSubstr(words));
  }
  EXPECT_EQ((*trace_named(read, "failed: no number"))["yaxis"], "y2") << "on no axis of numbers";
  EXPECT_THAT(figures[2].figure.title, HasSubstr("GPU temperature"));
}

TEST(LaunchCharts, OfManyLaunchesKeepTheDoubtfulOnesAndSayHowManyAreDrawn) {
  std::vector<PlannedCase> cases;
  for (std::int64_t i = 0; i < 40; ++i) {
    cases.push_back({.options = {{"a", i}}, .step_ns = std::vector<std::int64_t>(100, 1'000'000)});
  }
  record::Results results = test::planned_results(cases);
  results.launches[3333].row.report.flags = {std::string(launch_flag::kThrottled)};
  const auto section = launches_section(table_facts(results, {}), {.points = 400});
  ASSERT_TRUE(section);
  const ReadFigure read = figures_of(*section)[0];
  EXPECT_EQ(read.figure.choice, "from its case") << "first where there are many cases";
  EXPECT_THAT(read.figure.note, HasSubstr(" of 4,000 launches are drawn"));
  const Json* slowed = trace_named(read, "GPU slowed down");
  ASSERT_NE(slowed, nullptr);
  EXPECT_EQ((*slowed)["y"].size(), 1U);
}

TEST(RunCharts, OfNothingAreNothing) {
  const record::Results none;
  const TableFacts facts = table_facts(none, {});
  EXPECT_FALSE(anatomy_section(facts, {}));
  EXPECT_FALSE(distributions_section(facts, {}));
  EXPECT_FALSE(launches_section(facts, {}));
}

// Byte by byte; no figure holds the time of its making.
TEST(RunCharts, FiguresOfTheSampleAreThoseThatWereApproved) {
  const record::Results results = record::read_results(test::kSample);
  const TableFacts facts = table_facts(results, {});
  std::string text;
  for (const auto& section : {sweep_section(facts, {}), anatomy_section(facts, {}),
                              distributions_section(facts, {}), launches_section(facts, {})}) {
    ASSERT_TRUE(section);
    for (const ReadFigure& read : figures_of(*section)) {
      text += section->id + ": " + read.figure.title + " [" + read.figure.choice + "]\n" +
              read.figure.alt + '\n' + read.figure.note + '\n' + read.figure.json + "\n\n";
    }
  }
  const std::filesystem::path golden = test::kCharts / "sample_figures.txt";
  if (std::getenv("STEPBENCH_APPROVE") != nullptr) std::ofstream(golden, std::ios::binary) << text;
  std::ostringstream approved;
  approved << std::ifstream(golden, std::ios::binary).rdbuf();
  EXPECT_EQ(text, approved.str()) << "STEPBENCH_APPROVE=1 accepts a change";
}

}  // namespace
}  // namespace stepbench::report
