// SPDX-License-Identifier: Apache-2.0
// What is drawn of a sweep. That each case's number is in a chart is told in tests/report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/html/sweep_charts.h"
#include "tests/unit/report/charts/charted.h"

namespace stepbench::report {
namespace {

using test::Json;
using test::PlannedCase;
using test::ReadFigure;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kMs = 1'000'000;

// Six launches about `ms`, one part in a thousand apart.
std::vector<std::int64_t> about(double ms) {
  std::vector<std::int64_t> steps;
  for (int i = 0; i < 6; ++i) steps.push_back(std::int64_t(ms * (1000 + i) / 1000 * kMs));
  return steps;
}

std::vector<ReadFigure> figures_of(const record::Results& results) {
  const auto section = sweep_section(table_facts(results, {}), {});
  return section ? test::figures_of(*section) : std::vector<ReadFigure>();
}

std::vector<ReadFigure> figures_of(const std::vector<PlannedCase>& cases) {
  return figures_of(test::planned_results(cases));
}

TEST(SweepCharts, OneOptionOfNumbers_IsALineInOrder) {
  std::vector<PlannedCase> cases;
  for (const std::int64_t workers : {8, 1, 4, 2}) {
    cases.push_back({.options = {{"loader.num_workers", workers}},
                     .step_ns = about(100.0 / static_cast<double>(workers))});
  }
  const auto figures = figures_of(cases);
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_EQ(figures[0].figure.choice, "step");
  EXPECT_EQ(figures[1].figure.choice, "samples/s");
  const Json& line = figures[0].json["data"][0];
  EXPECT_EQ(line["x"], Json::parse("[1,2,4,8]"));
  EXPECT_TRUE(test::is_near(line["y"][3], 12.53125)) << "median of six about 12.5";
  EXPECT_EQ(line["text"], Json::parse(R"(["","","","*"])"));
  const Json& layout = figures[0].json["layout"];
  EXPECT_EQ(layout["xaxis"]["type"], "log") << "powers of two";
  EXPECT_EQ(layout["yaxis"]["rangemode"], "tozero");
}

TEST(SweepCharts, OneOptionOfWordsIsDotsWithIntervals) {
  std::vector<PlannedCase> cases;
  for (const char* engine : {"fork", "thread", "<b>inline</b>"}) {
    cases.push_back({.options = {{"loader.engine", std::string(engine)}}, .step_ns = about(10)});
  }
  const Json json = figures_of(cases)[0].json;
  EXPECT_EQ(json["layout"]["yaxis"]["ticktext"][2], "engine=&lt;b&gt;inline&lt;/b&gt;");
  const Json& dots = json["data"][0];
  for (int i = 0; i < 3; ++i) {
    const double centre = dots["x"][i];
    EXPECT_NEAR(centre, 10.025, 1e-3);
    EXPECT_NEAR(centre + dots["error_x"]["array"][i].get<double>(), 10.05, 1e-3);
    EXPECT_NEAR(centre - dots["error_x"]["arrayminus"][i].get<double>(), 10, 1e-3);
  }
}

TEST(SweepCharts, WhatFailed_IsACrossAndNotPlannedAHole) {
  std::vector<PlannedCase> cases;
  for (const std::int64_t workers : {0, 1, 2}) {
    for (const std::int64_t batch : {8, 16}) {
      if (workers == 2 && batch == 16) continue;
      cases.push_back({.options = {{"loader.num_workers", workers}, {"loader.batch_size", batch}},
                       .step_ns = workers == 1 && batch == 8 ? std::vector<std::int64_t>{}
                                                             : about(10.0 + double(workers))});
    }
  }
  const auto figures = figures_of(cases);
  const Json& data = figures[0].json["data"];
  EXPECT_EQ(data[0]["type"], "heatmap");
  EXPECT_TRUE(data[0]["z"][0][1].is_null()) << "failed";
  EXPECT_TRUE(data[0]["z"][1][2].is_null()) << "not planned";
  EXPECT_TRUE(test::is_near(data[0]["z"][0][2], 12.03)) << "its own";
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
  const Json heat = figures_of(cases)[0].json["data"][0]["z"];
  EXPECT_EQ(heat[0][0], heat[1][0]);
  EXPECT_NE(heat[0][0], heat[0][1]);
}

TEST(SweepCharts, TheColoursOfCasesThatTieAreAlike) {
  std::vector<PlannedCase> cases;
  for (std::int64_t i = 0; i < 6; ++i) {
    cases.push_back({.options = {{"a", i / 2}, {"b", i % 2}}, .step_ns = about(50)});
  }
  cases[3].step_ns = about(50.1);
  const auto scale_of = [&] { return figures_of(cases)[0].json["layout"]["coloraxis"]; };
  const Json tied = scale_of();
  ASSERT_TRUE(tied.contains("cmin"));
  EXPECT_DOUBLE_EQ(tied["cmin"].get<double>() / tied["cmax"].get<double>(), 0.8);
  cases[3].step_ns = about(80);
  EXPECT_FALSE(scale_of().contains("cmin")) << "the values themselves are the ends";
}

TEST(SweepCharts, OptionsThatChangeTogetherAreOneAxis) {
  std::vector<PlannedCase> cases;
  for (const std::int64_t batch : {8, 16, 32}) {
    cases.push_back(
        {.options = {{"loader.batch_size", batch}, {"optimizer.lr", 0.1 * double(batch)}},
         .step_ns = about(double(batch))});
  }
  EXPECT_EQ(figures_of(cases)[0].json["layout"]["xaxis"]["ticktext"][0], "8 / 0.8");
}

TEST(SweepCharts, ThreeOptionsAreSmallMultiplesOfOneRange) {
  std::vector<PlannedCase> cases;
  for (std::int64_t i = 0; i < 24; ++i) {
    cases.push_back({.options = {{"a", i / 6}, {"b", i % 6 / 2}, {"c", i % 2 == 0}},
                     .step_ns = about(10 + double(i))});
  }
  const Json heat = figures_of(cases)[0].json;
  ASSERT_EQ(heat["data"].size(), 2U);
  EXPECT_EQ(heat["layout"]["annotations"][1]["text"], "c=false");
  EXPECT_EQ(heat["layout"]["yaxis2"]["matches"], "y");
  EXPECT_EQ(heat["data"][0]["coloraxis"], heat["data"][1]["coloraxis"]);
}

TEST(SweepCharts, NineOptions_AreParallelAxes) {
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
  const auto figures = figures_of(cases);
  EXPECT_THAT(figures[0].figure.note, HasSubstr("1 case without a number"));
  EXPECT_EQ(figures[0].json["layout"]["xaxis"]["ticktext"].size(), 10U);
  EXPECT_TRUE(std::ranges::any_of(figures, [](const ReadFigure& read) {
    return read.figure.title.find("best 30 of 200 cases") != std::string::npos;
  }));
}

TEST(SweepCharts, RunsAndArms_HaveAColourEach) {
  std::vector<PlannedCase> runs;
  std::vector<PlannedCase> arms;
  for (const char* each : {"a", "b"}) {
    arms.push_back({.options = {{"a", std::int64_t{1}}}, .step_ns = about(10), .arm = each});
    for (const std::int64_t workers : {1, 2, 3}) {
      runs.push_back(
          {.options = {{"loader.num_workers", workers}},
           .step_ns = about(10 + double(workers)),
           .run_id = each == std::string("a") ? "20260131-120000-demo" : "20260201-120000-demo"});
    }
  }
  for (const auto& [cases, mark, name] :
       {std::tuple{&runs, "line", "run=20260201"}, std::tuple{&arms, "marker", "arm b"}}) {
    const Json data = figures_of(*cases)[0].json["data"];
    ASSERT_EQ(data.size(), 2U) << name;
    EXPECT_NE(data[0][mark]["color"], data[1][mark]["color"]) << name;
    EXPECT_THAT(data[1]["name"].get<std::string>(), HasSubstr(name));
  }
}

TEST(SweepCharts, RateNotRecorded_IsNoFailure) {
  std::vector<PlannedCase> cases;
  for (const std::int64_t a : {1, 2}) {
    cases.push_back({.options = {{"a", a}}, .step_ns = {10 * kMs}});
  }
  record::Results results = test::planned_results(cases);
  results.launches[1].row.options["schedule.sync"] = std::string("step");
  results.launches[1].samples[0].steps.names[4] = "other_count";
  const auto figures = figures_of(results);
  EXPECT_THAT(figures[0].figure.json, HasSubstr("latency p50 [ms] 7.50")) << "beside a step";
  const Json& cross = figures[1].json["data"][1];
  EXPECT_EQ(cross["name"], "no number: failed, skipped or not recorded");
  EXPECT_THAT(cross["hovertext"][0].get<std::string>(), Not(HasSubstr("failed")));
}

TEST(SweepCharts, OfVeryManyCases_TheBestAreDrawn) {
  std::vector<PlannedCase> cases;
  for (std::int64_t i = 0; i < 5000; ++i) {
    cases.push_back({.options = {{"a", i / 100}, {"b", i % 100}}, .step_ns = {(6000 - i) * 1000}});
  }
  const ReadFigure figure = figures_of(cases)[0];
  EXPECT_THAT(figure.figure.note, HasSubstr("the 2,000 best of 5,000 cases"));
  std::size_t cells = 0;
  for (const Json& line : figure.json["data"][0]["z"]) {
    for (const Json& cell : line) cells += cell.is_null() ? 0 : 1;
  }
  EXPECT_EQ(cells, 2000U);
  EXPECT_LT(figure.figure.json.size(), 1U << 20U);
}

TEST(SweepCharts, AHoverHasTheCaseItsIntervalAndItsCommands) {
  const record::Results results = record::read_results(test::kSample);
  const auto section =
      sweep_section(table_facts(results, {}), {.show_command = "stepbench show results/sample"});
  ASSERT_TRUE(section);
  EXPECT_EQ(test::figures_of(*section)[0].json["data"][0]["hovertext"][0],
            "num_workers=0<br>case f672f0<br>step [ms] 65.4, range (n=3) [64.7, 70.2]<br>"
            "samples/s 245, range (n=3) [228, 247]<br>3 launches<br>"
            "stepbench show results/sample --case f672f0<br>"
            "stepbench run configs/quickstart.yaml --case f672f0ea6306a318 --launches 1");
}

TEST(SweepCharts, NothingIsDrawnOfOneCaseOrWhereAllFailed) {
  const PlannedCase one{.options = {{"a", std::int64_t{1}}}, .step_ns = {1}};
  const PlannedCase failed{.options = {{"a", std::int64_t{1}}}};
  const PlannedCase another{.options = {{"a", std::int64_t{2}}}};
  for (const std::vector<PlannedCase>& cases :
       std::vector<std::vector<PlannedCase>>{{}, {one}, {failed, another}}) {
    EXPECT_TRUE(figures_of(cases).empty());
  }
}

}  // namespace
}  // namespace stepbench::report
