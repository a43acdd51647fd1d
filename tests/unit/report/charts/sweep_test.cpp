// SPDX-License-Identifier: Apache-2.0
// What is drawn of a sweep, held against the rows of the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/report/html/case_chart.h"
#include "harness/report/html/sweep_charts.h"
#include "harness/text/numbers.h"
#include "tests/unit/report/charts/charted.h"

namespace stepbench::report {
namespace {

using test::figures_of;
using test::Json;
using test::PlannedCase;
using test::ReadFigure;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kMs = 1'000'000;

// Six launches about `ms`, one part in a thousand apart.
std::vector<std::int64_t> about(double ms) {
  std::vector<std::int64_t> steps;
  for (int i = 0; i < 6; ++i)
    steps.push_back(static_cast<std::int64_t>(ms * (1000 + i) / 1000 * kMs));
  return steps;
}

Measure measure_of(const ReadFigure& read, const TableFacts& facts) {
  std::vector<Measure> measures = measures_of(facts);
  for (const Measure& each : measures) {
    if (read.figure.title.starts_with(each.head)) return each;
  }
  ADD_FAILURE() << "no measure has the title " << read.figure.title;
  return measures.front();
}

// The number in `centre` and its interval are the row's.
void expect_point(const estimate::CaseRow& row, const Measure& measure, const Json& trace,
                  std::size_t i, const char* axis) {
  const auto value = drawn_value(row, measure);
  ASSERT_TRUE(value) << row.case_id << " has no number and is drawn with one";
  const double drawn = trace[axis][i];
  EXPECT_TRUE(test::is_near(drawn, value->centre)) << drawn << " for " << value->centre;
  const std::string bars = std::string("error_") + axis;
  if (value->spread == estimate::Spread::kNone || !trace.contains(bars)) return;
  const double scale = std::abs(value->centre) * 1e-3;
  EXPECT_NEAR(drawn + trace[bars]["array"][i].get<double>(), value->interval.high, scale);
  EXPECT_NEAR(drawn - trace[bars]["arrayminus"][i].get<double>(), value->interval.low, scale);
}

// Cells have the number in words; their colour is that of the best where they tie with it.
void expect_cells(const Json& trace, const Measure& measure, const TableFacts& facts,
                  std::set<std::string>& seen) {
  for (std::size_t y = 0; y < trace["z"].size(); ++y) {
    for (std::size_t x = 0; x < trace["z"][y].size(); ++x) {
      const std::string hover = trace["hovertext"][y][x];
      EXPECT_EQ(trace["z"][y][x].is_null(), hover.empty());
      if (hover.empty()) continue;
      const estimate::CaseRow* row = test::row_of(hover, facts);
      ASSERT_NE(row, nullptr) << hover;
      seen.insert(row->case_id);
      const auto value = drawn_value(*row, measure);
      ASSERT_TRUE(value);
      if (trace.contains("text")) {
        EXPECT_EQ(trace["text"][y][x].get<std::string>(),
                  text::significant(value->centre) + (row->is_best ? " *" : ""));
      }
      const estimate::CaseRow& shown = row->is_best ? facts.rows[facts.ranking->best] : *row;
      EXPECT_TRUE(test::is_near(trace["z"][y][x], drawn_value(shown, measure)->centre));
    }
  }
}

// Every point of every figure: that of a row with a number shows it, a cross is of a row without.
std::set<std::string> expect_rows_drawn_as_they_are(const document::Chapter& section,
                                                    const TableFacts& facts) {
  std::set<std::string> seen;
  for (const ReadFigure& read : figures_of(section)) {
    const Measure measure = measure_of(read, facts);
    const bool parallel = read.figure.alt.starts_with("Parallel");
    const bool dots = read.figure.alt.starts_with("Dots");
    for (const Json& trace : read.json["data"]) {
      if (trace["type"] == "heatmap") {
        expect_cells(trace, measure, facts, seen);
        continue;
      }
      const bool crosses = trace.value("name", "").starts_with("no number");
      for (std::size_t i = 0; i < trace["hovertext"].size(); ++i) {
        const std::string hover = trace["hovertext"][i];
        if (hover.empty()) continue;
        const estimate::CaseRow* row = test::row_of(hover, facts);
        EXPECT_NE(row, nullptr) << hover;
        if (row == nullptr) continue;
        seen.insert(row->case_id);
        EXPECT_EQ(crosses, !drawn_value(*row, measure)) << hover;
        if (!crosses && !parallel) expect_point(*row, measure, trace, i, dots ? "x" : "y");
      }
    }
  }
  return seen;
}

std::set<std::string> ids_of(const TableFacts& facts) {
  std::set<std::string> ids;
  for (const estimate::CaseRow& row : facts.rows) ids.insert(row.case_id);
  return ids;
}

document::Chapter drawn(const TableFacts& facts) {
  const auto section = sweep_section(facts, {});
  EXPECT_TRUE(section);
  return section.value_or(document::Chapter{});
}

TEST(SweepCharts, ShowEveryRowOfRecordedSweepsWithTheNumbersOfTheTable) {
  for (const auto& path :
       {test::kSample, test::kReportData / "sweep.jsonl",
        test::kReportData / "dataloader_sweep.jsonl", test::kReportData / "few_launches.jsonl"}) {
    const record::Results results = record::read_results(path);
    const TableFacts facts = table_facts(results, {});
    EXPECT_EQ(expect_rows_drawn_as_they_are(drawn(facts), facts), ids_of(facts)) << path;
  }
}

TEST(SweepCharts, OneOptionOfNumbersIsALineInTheirOrderFromZero) {
  std::vector<PlannedCase> cases;
  for (const std::int64_t workers : {8, 1, 4, 2}) {
    cases.push_back({.options = {{"loader.num_workers", workers}},
                     .step_ns = about(100.0 / static_cast<double>(workers))});
  }
  const record::Results results = test::planned_results(cases);
  const TableFacts facts = table_facts(results, {});
  const auto figures = figures_of(drawn(facts));
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_EQ(figures[0].figure.choice, "step");
  EXPECT_EQ(figures[1].figure.choice, "samples/s");
  const Json& line = figures[0].json["data"][0];
  EXPECT_EQ(line["x"], Json::parse("[1,2,4,8]"));
  EXPECT_EQ(figures[0].json["layout"]["xaxis"]["type"], "log") << "powers of two";
  EXPECT_EQ(figures[0].json["layout"]["yaxis"]["rangemode"], "tozero");
  EXPECT_EQ(figures[0].json["layout"]["yaxis"]["title"]["text"], "step [ms]");
  EXPECT_EQ(line["text"], Json::parse(R"(["","","","*"])"));
}

TEST(SweepCharts, OneOptionOfWordsIsDotsWithIntervals) {
  std::vector<PlannedCase> cases;
  for (const char* engine : {"fork", "thread", "<b>inline</b>"}) {
    cases.push_back({.options = {{"loader.engine", std::string(engine)}}, .step_ns = about(10)});
  }
  const record::Results results = test::planned_results(cases);
  const TableFacts facts = table_facts(results, {});
  const auto figures = figures_of(drawn(facts));
  EXPECT_EQ(figures[0].json["layout"]["yaxis"]["ticktext"][2], "engine=&lt;b&gt;inline&lt;/b&gt;");
  EXPECT_EQ(figures[0].json["data"][0]["error_x"]["array"].size(), 3U);
}

TEST(SweepCharts, ACombinationThatWasNotPlannedIsAHoleAndAFailedOneACross) {
  std::vector<PlannedCase> cases;
  for (const std::int64_t workers : {0, 1, 2}) {
    for (const std::int64_t batch : {8, 16}) {
      if (workers == 2 && batch == 16) continue;
      cases.push_back({.options = {{"loader.num_workers", workers}, {"loader.batch_size", batch}},
                       .step_ns = workers == 1 && batch == 8 ? std::vector<std::int64_t>{}
                                                             : about(10.0 + double(workers))});
    }
  }
  const record::Results results = test::planned_results(cases);
  const TableFacts facts = table_facts(results, {});
  const document::Chapter section = drawn(facts);
  EXPECT_EQ(expect_rows_drawn_as_they_are(section, facts), ids_of(facts));
  const auto figures = figures_of(section);
  const Json& data = figures[0].json["data"];
  EXPECT_EQ(data[0]["type"], "heatmap");
  EXPECT_TRUE(data[0]["z"][0][1].is_null()) << "failed";
  EXPECT_TRUE(data[0]["z"][1][2].is_null()) << "not planned";
  EXPECT_EQ(data[1]["x"], Json::parse("[1]"));
  EXPECT_EQ(data[1]["y"], Json::parse("[0]"));
  EXPECT_THAT(data[1]["hovertext"][0].get<std::string>(), HasSubstr("failed: out of memory"));
  for (const ReadFigure& read : figures) {
    for (const Json& trace : read.json["data"]) EXPECT_NE(trace.value("connectgaps", false), true);
  }
}

TEST(SweepCharts, CasesThatTieWithTheBestShareItsColour) {
  std::vector<PlannedCase> cases;
  const double ms[] = {10, 10.002, 30, 40};
  for (std::int64_t i = 0; i < 4; ++i) {
    cases.push_back({.options = {{"a", i / 2}, {"b", i % 2}}, .step_ns = about(ms[i])});
  }
  const record::Results results = test::planned_results(cases);
  const TableFacts facts = table_facts(results, {});
  const document::Chapter section = drawn(facts);
  const Json heat = figures_of(section)[0].json["data"][0];
  EXPECT_EQ(heat["z"][0][0], heat["z"][1][0]);
  EXPECT_NE(heat["z"][0][0], heat["z"][0][1]);
  EXPECT_THAT(test::words_of(section), HasSubstr("they are a tie and share a colour"));
}

TEST(SweepCharts, OptionsThatChangeTogetherAreOneAxis) {
  std::vector<PlannedCase> cases;
  for (const std::int64_t batch : {8, 16, 32}) {
    cases.push_back(
        {.options = {{"loader.batch_size", batch}, {"optimizer.lr", 0.1 * double(batch)}},
         .step_ns = about(double(batch))});
  }
  const record::Results results = test::planned_results(cases);
  const TableFacts facts = table_facts(results, {});
  const auto figures = figures_of(drawn(facts));
  EXPECT_THAT(figures[0].figure.title, HasSubstr("by batch_size / lr"));
  EXPECT_EQ(figures[0].json["layout"]["xaxis"]["ticktext"][0], "8 / 0.8");
}

TEST(SweepCharts, ThreeOptionsAreSmallMultiplesOfOneRange) {
  std::vector<PlannedCase> cases;
  for (std::int64_t i = 0; i < 24; ++i) {
    cases.push_back({.options = {{"a", i / 6}, {"b", i % 6 / 2}, {"c", i % 2 == 0}},
                     .step_ns = about(10 + double(i))});
  }
  const record::Results results = test::planned_results(cases);
  const TableFacts facts = table_facts(results, {});
  const document::Chapter section = drawn(facts);
  EXPECT_EQ(expect_rows_drawn_as_they_are(section, facts), ids_of(facts));
  const auto figures = figures_of(section);
  const Json& heat = figures[0].json;
  ASSERT_EQ(heat["data"].size(), 2U);
  EXPECT_EQ(heat["layout"]["annotations"][1]["text"], "c=false");
  EXPECT_EQ(heat["layout"]["yaxis2"]["matches"], "y");
  EXPECT_EQ(heat["data"][0]["coloraxis"], heat["data"][1]["coloraxis"]);
}

TEST(SweepCharts, TheColoursOfCasesThatTieAreAlike) {
  std::vector<PlannedCase> cases;
  for (std::int64_t i = 0; i < 6; ++i) {
    cases.push_back({.options = {{"a", i / 2}, {"b", i % 2}}, .step_ns = about(50)});
  }
  cases[3].step_ns = about(50.1);
  const auto scale_of = [&] {
    const record::Results results = test::planned_results(cases);
    const TableFacts facts = table_facts(results, {});
    return figures_of(drawn(facts))[0].json["layout"]["coloraxis"];
  };
  const Json tied = scale_of();
  ASSERT_TRUE(tied.contains("cmin"));
  EXPECT_DOUBLE_EQ(tied["cmin"].get<double>() / tied["cmax"].get<double>(), 0.8);
  cases[3].step_ns = about(80);
  EXPECT_FALSE(scale_of().contains("cmin")) << "the values themselves are the ends";
}

TEST(SweepCharts, NineOptionsAreParallelCoordinatesAndTheBestCases) {
  std::vector<PlannedCase> cases;
  for (std::int64_t i = 0; i < 200; ++i) {
    OptionValues options;
    for (std::int64_t option = 0; option < 9; ++option) {
      options["o" + std::to_string(option)] = (i >> option) % 2 == 0 || option > 6
                                                  ? Value(i % (option + 2))
                                                  : Value("text " + std::to_string(option));
    }
    options["o3"] = i % 2 == 0 ? Value() : Value(i % 3 == 0);
    cases.push_back({.options = options,
                     .step_ns = i == 7 ? std::vector<std::int64_t>{} : about(10 + double(i))});
  }
  const record::Results results = test::planned_results(cases);
  const TableFacts facts = table_facts(results, {});
  const document::Chapter section = drawn(facts);
  const auto figures = figures_of(section);
  EXPECT_THAT(figures[0].figure.note, HasSubstr("1 case without a number"));
  std::set<std::string> seen = expect_rows_drawn_as_they_are(section, facts);
  EXPECT_EQ(seen.size(), 199U);
  EXPECT_EQ(figures[0].json["layout"]["xaxis"]["ticktext"].size(), 10U);
  const auto dots = std::find_if(figures.begin(), figures.end(), [](const ReadFigure& read) {
    return read.figure.title.find("best 30 of 200 cases") != std::string::npos;
  });
  ASSERT_NE(dots, figures.end());
}

TEST(SweepCharts, SeveralRunsHaveAColourEach) {
  std::vector<PlannedCase> cases;
  for (const char* run : {"20260131-120000-demo", "20260201-120000-demo"}) {
    for (const std::int64_t workers : {1, 2, 3}) {
      cases.push_back({.options = {{"loader.num_workers", workers}},
                       .step_ns = about(10 + double(workers)),
                       .run_id = run});
    }
  }
  const record::Results results = test::planned_results(cases);
  const TableFacts facts = table_facts(results, {});
  const auto figures = figures_of(drawn(facts));
  const Json& data = figures[0].json["data"];
  ASSERT_EQ(data.size(), 2U);
  EXPECT_NE(data[0]["line"]["color"], data[1]["line"]["color"]);
  EXPECT_THAT(data[1]["name"].get<std::string>(), HasSubstr("run=20260201"));
}

TEST(SweepCharts, TheArmsOfACampaignHaveAColourEach) {
  std::vector<PlannedCase> cases;
  for (const char* arm : {"a", "b"}) {
    cases.push_back({.options = {{"a", std::int64_t{1}}}, .step_ns = about(10), .arm = arm});
  }
  const record::Results results = test::planned_results(cases);
  const TableFacts facts = table_facts(results, {});
  const auto figures = figures_of(drawn(facts));
  const Json& data = figures[0].json["data"];
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(data[1]["name"], "arm b");
  EXPECT_NE(data[0]["marker"]["color"], data[1]["marker"]["color"]);
}

TEST(SweepCharts, ALatencyBesideStepsSaysSoAndARateThatWasNotRecordedIsNotAFailure) {
  std::vector<PlannedCase> cases;
  for (const std::int64_t a : {1, 2}) {
    cases.push_back({.options = {{"a", a}}, .step_ns = {10 * kMs}});
  }
  record::Results results = test::planned_results(cases);
  results.launches[1].row.options["schedule.sync"] = std::string("step");
  results.launches[1].samples[0].steps.names[4] = "other_count";
  const TableFacts facts = table_facts(results, {});
  const auto figures = figures_of(drawn(facts));
  EXPECT_THAT(figures[0].figure.json, HasSubstr("latency p50 [ms] 7.50"));
  const Json& cross = figures[1].json["data"][1];
  EXPECT_EQ(cross["name"], "no number: failed, skipped or not recorded");
  EXPECT_THAT(cross["hovertext"][0].get<std::string>(), Not(HasSubstr("failed")));
}

TEST(SweepCharts, OfVeryManyCasesTheBestAreDrawnAndItSaysSo) {
  std::vector<PlannedCase> cases;
  for (std::int64_t i = 0; i < 5000; ++i) {
    cases.push_back({.options = {{"a", i / 100}, {"b", i % 100}}, .step_ns = {(6000 - i) * 1000}});
  }
  const record::Results results = test::planned_results(cases);
  const TableFacts facts = table_facts(results, {});
  const auto figures = figures_of(drawn(facts));
  EXPECT_THAT(figures[0].figure.note, HasSubstr("the 2,000 best of 5,000 cases"));
  std::size_t cells = 0;
  for (const Json& line : figures[0].json["data"][0]["z"]) {
    for (const Json& cell : line) cells += cell.is_null() ? 0 : 1;
  }
  EXPECT_EQ(cells, 2000U);
  EXPECT_LT(figures[0].figure.json.size(), 1U << 20U);
}

TEST(SweepCharts, AHoverHasTheCaseItsIntervalAndItsCommands) {
  const record::Results results = record::read_results(test::kSample);
  const TableFacts facts = table_facts(results, {});
  const auto section = sweep_section(facts, {.show_command = "stepbench show results/sample"});
  ASSERT_TRUE(section);
  const std::string hover = figures_of(*section)[0].json["data"][0]["hovertext"][0];
  EXPECT_EQ(hover,
            "num_workers=0<br>case f672f0<br>step [ms] 65.4, range (n=3) [64.7, 70.2]<br>"
            "samples/s 245, range (n=3) [228, 247]<br>3 launches<br>"
            "stepbench show results/sample --case f672f0<br>"
            "stepbench run configs/quickstart.yaml --case f672f0ea6306a318 --launches 1");
}

TEST(SweepCharts, NothingIsDrawnOfOneCaseOrWhereAllFailed) {
  const record::Results none;
  EXPECT_FALSE(sweep_section(table_facts(none, {}), {}));
  const record::Results one =
      test::planned_results({{.options = {{"a", std::int64_t{1}}}, .step_ns = {1}}});
  EXPECT_FALSE(sweep_section(table_facts(one, {}), {}));
  const record::Results failed = test::planned_results(
      {{.options = {{"a", std::int64_t{1}}}}, {.options = {{"a", std::int64_t{2}}}}});
  EXPECT_FALSE(sweep_section(table_facts(failed, {}), {}));
}

}  // namespace
}  // namespace stepbench::report
