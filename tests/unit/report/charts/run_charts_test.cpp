// SPDX-License-Identifier: Apache-2.0
// The charts of a run, compared with the rows of the table and the steps of the file.
#include "harness/base/launch_outcome.h"
#include "harness/findings/finding.h"
#include "harness/report/internal/html/run_sections.h"
#include "tests/testing.h"
#include "tests/unit/report/charts/charted.h"

namespace stepbench::report {
namespace {

using test::Drawn;
using test::figures_of;
using test::Json;
using test::PlannedCase;

Json cases_of(const TableFacts& facts) {
  json::JsonText json;
  json.open_object();
  add_cases(json, facts, {.show_command = "stepbench show results/sample"});
  return Json::parse(json.close_object().take());
}

Drawn launches_of(const TableFacts& facts) {
  return test::drawn_by([&](json::JsonText& json) { return launches_section(facts, json); });
}

TEST(RunCharts, Cases_HaveTheNumbersOfTheTable) {
  const record::Results results = record::read_results(test::kSample);
  const TableFacts facts = table_facts(results, {});
  const Json charts = cases_of(facts);
  EXPECT_EQ(charts["unit"]["name"], "ms");
  EXPECT_EQ(charts["show"], "stepbench show results/sample");
  EXPECT_EQ(charts["measures"][0]["head"], "step [ms]");
  EXPECT_EQ(charts["measures"][1]["head"], "samples/s");
  EXPECT_EQ(charts["measures"][1]["key"], "samples_per_s");
  ASSERT_EQ(charts["labels"].size(), facts.rows.size());
  for (std::size_t i = 0; i < facts.rows.size(); ++i) {
    EXPECT_EQ(charts["labels"][i], facts.names.name(facts.rows[i]));
  }
}

TEST(RunCharts, LatencyAndSteps_HaveOwnHeads) {
  record::Results results =
      test::planned_results({{.options = {{"a", std::int64_t{1}}}, .step_ns = {10'000'000}},
                             {.options = {{"a", std::int64_t{2}}}, .step_ns = {10'000'000}}});
  results.launches[1].row.options["schedule.sync"] = std::string("step");
  const Json charts = cases_of(table_facts(results, {}));
  EXPECT_EQ(charts["measures"][0]["head"], "step [ms]");
  EXPECT_EQ(charts["measures"][0]["key"], "step_ns") << "the head is of the steps alone";
}

// Results with times of a device phase and of a side stream.
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

TEST(Anatomy, HostDeviceAndSideStreams_AreFigures) {
  const record::Results results = device_results();
  const auto section = anatomy_section(table_facts(results, {}));
  ASSERT_TRUE(section);
  const auto figures = figures_of(*section);
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(figures[0].json["phases"], "phases");
  EXPECT_THAT(figures[1].figure.title, HasSubstr("on the stream that computes"));
  EXPECT_EQ(figures[1].json["phases"], "device_phases");
  EXPECT_THAT(figures[2].figure.title, HasSubstr("beside the step"));
  EXPECT_EQ(figures[2].json["rows"], Json::parse("[0]")) << "the other case failed";
  EXPECT_THAT(figures[1].figure.alt, HasSubstr("other is the longest phase of each"));
}

TEST(Anatomy, Table_HasPhasesInOrder) {
  const record::Results results = device_results();
  const auto section = anatomy_section(table_facts(results, {}));
  ASSERT_TRUE(section);
  const auto& table = std::get<document::Table>(section->blocks.back());
  std::vector<std::string> heads;
  for (const document::Column& column : table.columns) heads.push_back(column.head);
  EXPECT_THAT(heads,
              ElementsAre("case", "options", "data_wait [ms]", "other [ms]", "forward, device [ms]",
                          "other, device [ms]", "h2d, beside the step [ms]"));
}

TEST(Distributions, StoredSteps_AreAllDrawn) {
  const record::Results results = record::read_results(test::kSample);
  const TableFacts facts = table_facts(results, {});
  const auto section = distributions_section(facts, {});
  ASSERT_TRUE(section);
  const auto figures = figures_of(*section);
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(section->steps_drawn, 180);
  for (const test::ReadFigure& read : figures) {
    const estimate::CaseRow& row = facts.rows.at(read.json["case"].get<std::size_t>());
    EXPECT_TRUE(read.figure.title.starts_with(facts.names.name(row) + " ("));
    for (std::size_t i = 0; i < row.measured.size(); ++i) {
      const auto& steps = row.measured[i].launch->samples[0].steps.column("step_ns");
      const Json& launch = read.json["launches"][i];
      ASSERT_EQ(launch["steps"].size(), steps.size());
      for (std::size_t step = 0; step < steps.size(); ++step) {
        EXPECT_TRUE(test::is_near(launch["steps"][step], double(steps[step]) / facts.unit.ns));
      }
      EXPECT_FALSE(launch.contains("times")) << "the steps tell their distribution";
    }
  }
}

TEST(Distributions, Latency_MarksFlagsWithoutWaits) {
  record::Results results =
      test::planned_results({{.options = {{"a", std::int64_t{1}}}, .step_ns = {1'000'000}}});
  results.launches[0].row.options["schedule.sync"] = std::string("step");
  const auto section = distributions_section(table_facts(results, {}), {});
  ASSERT_TRUE(section);
  const Json json = figures_of(*section)[0].json;
  EXPECT_EQ(json["flags"][0], "epoch border");
  EXPECT_EQ(json["launches"][0]["index"][0], 8);
  EXPECT_EQ(json["launches"][0]["flags"], Json::parse("[1,0,0,0]"));
  EXPECT_EQ(json["launches"][0]["times"][0], 750) << "the wait for data left out";
  EXPECT_EQ(json["launches"][0]["steps"][0], 1000) << "over time the whole step";
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

TEST(Distributions, ManySteps_KeepTheSlowest) {
  const record::Results results = long_launch(100'000, 54'321);
  const auto section = distributions_section(table_facts(results, {}), {.points = 1000});
  ASSERT_TRUE(section);
  const test::ReadFigure read = figures_of(*section)[0];
  EXPECT_THAT(read.figure.note, HasSubstr(" of 100,000 steps are drawn"));
  EXPECT_LE(section->steps_drawn, 500);
  const Json& launch = read.json["launches"][0];
  EXPECT_LE(launch["steps"].size() + launch["times"].size(), 1000U);
  const auto slow = std::find(launch["index"].begin(), launch["index"].end(), 54'321);
  ASSERT_NE(slow, launch["index"].end());
  EXPECT_EQ(launch["steps"][static_cast<std::size_t>(slow - launch["index"].begin())], 50);
}

TEST(RunCharts, ManyCases_ShowBestAndDoubtful) {
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
  EXPECT_EQ(figures_of(anatomy_section(facts).value())[0].figure.note,
            "Drawn are the 40 best of 60 cases.");
}

TEST(LaunchCharts, EachLaunch_HasItsStartAndNumber) {
  const record::Results results = record::read_results(test::kSample);
  const TableFacts facts = table_facts(results, {});
  std::map<std::string, double> expected;
  for (const estimate::CaseRow& row : facts.rows) {
    for (const auto& [launch, estimate] : row.measured) {
      expected[launch->row.started_utc] = estimate::headline_ns(estimate, row.clock);
    }
  }
  const Drawn drawn = launches_of(facts);
  const Json& rows = drawn.charts["launches"]["rows"];
  ASSERT_EQ(rows.size(), 9U);
  for (const Json& row : rows) {
    EXPECT_NEAR(row["ns"].get<double>(), expected.at(row["started"]), 1);
    if (!row.contains("flags")) continue;
    EXPECT_EQ(row["started"], "2026-11-22T03:16:02Z");
    EXPECT_EQ(drawn.charts["launches"]["meanings"][row["flags"][0]],
              "steps became slower within the window");
  }
}

TEST(LaunchCharts, FailedAndBusy_HaveAReason) {
  record::Results results = test::planned_results(
      {{.options = {{"a", std::int64_t{1}}}, .step_ns = {1'000'000, 1'200'000}},
       {.options = {{"a", std::int64_t{2}}}, .reason = "<i>no memory</i>"},
       {.options = {{"a", std::int64_t{3}}}}});
  results.launches[3].row.outcome = Outcome::skipped("no GPU");
  results.launches[1].row.report.flags = {std::string(launch_flag::kSteal)};
  results.launches[1].row.machine["gpu.temperature_c_max"] = std::int64_t{71};
  const TableFacts facts = table_facts(results, {});
  const Drawn drawn = launches_of(facts);
  const Json& launches = drawn.charts["launches"];
  std::vector<std::string> reasons;
  for (const Json& row : launches["rows"]) {
    if (row.contains("why")) reasons.push_back(row["why"]);
  }
  EXPECT_THAT(reasons, ElementsAre("failed: <i>no memory</i>"));
  EXPECT_THAT(drawn.figures[1].figure.alt, HasSubstr("GPU temperature [°C] 71.0 to 71.0"));
  EXPECT_EQ(launches["machine"].size(), 1U);
  EXPECT_EQ(launches["machine"][0]["values"].size(), launches["rows"].size());
  EXPECT_THAT(drawn.figures[0].figure.alt, HasSubstr("1 with a doubt, 1 failed or skipped"));
}

TEST(RunCharts, NoResults_HaveNone) {
  const record::Results none;
  const TableFacts facts = table_facts(none, {});
  EXPECT_FALSE(anatomy_section(facts));
  EXPECT_FALSE(distributions_section(facts, {}));
  EXPECT_FALSE(launches_of(facts).section);
}

}  // namespace
}  // namespace stepbench::report
