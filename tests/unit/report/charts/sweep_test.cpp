// SPDX-License-Identifier: Apache-2.0
// The kind and the axes of a sweep's charts. tests/report checks their look.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/html/run_sections.h"
#include "tests/unit/report/charts/charted.h"

namespace stepbench::report {
namespace {

using test::Drawn;
using test::Json;
using test::PlannedCase;
using test::ReadFigure;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kMs = 1'000'000;

// Six launches around `ms`, 0.1 % apart.
std::vector<std::int64_t> about(double ms) {
  std::vector<std::int64_t> steps;
  for (int i = 0; i < 6; ++i) steps.push_back(std::int64_t(ms * (1000 + i) / 1000 * kMs));
  return steps;
}

Drawn sweep_of(const std::vector<PlannedCase>& cases) {
  const record::Results results = test::planned_results(cases);
  const TableFacts facts = table_facts(results, {});
  return test::drawn_by([&](json::JsonText& json) { return sweep_section(facts, json); });
}

std::vector<std::string> charts_of(const Drawn& drawn) {
  std::vector<std::string> names;
  for (const ReadFigure& read : drawn.figures) names.push_back(read.json["chart"]);
  return names;
}

TEST(SweepCharts, NumericOption_IsALineInOrder) {
  std::vector<PlannedCase> cases;
  for (const std::int64_t workers : {8, 1, 4, 2}) {
    cases.push_back({.options = {{"loader.num_workers", workers}},
                     .step_ns = about(100.0 / static_cast<double>(workers))});
  }
  const Drawn drawn = sweep_of(cases);
  EXPECT_THAT(charts_of(drawn), ElementsAre("lines", "lines"));
  EXPECT_EQ(drawn.figures[0].figure.choice, "step");
  EXPECT_EQ(drawn.figures[1].figure.choice, "samples/s");
  const Json& workers = drawn.charts["sweep"]["dimensions"][0];
  EXPECT_EQ(workers["places"], Json::parse("[1,2,4,8]"));
  EXPECT_EQ(workers["of"], Json::parse("[3,0,2,1]"));
  EXPECT_EQ(workers["kind"], "log") << "powers of two";
}

TEST(SweepCharts, TextOption_IsDots) {
  std::vector<PlannedCase> cases;
  for (const char* engine : {"fork", "thread", "<b>inline</b>"}) {
    cases.push_back({.options = {{"loader.engine", std::string(engine)}}, .step_ns = about(10)});
  }
  const Drawn drawn = sweep_of(cases);
  EXPECT_EQ(drawn.figures[0].json["chart"], "dots");
  EXPECT_EQ(drawn.figures[0].json["rows"], Json::parse("[0,1,2]")) << "in the order of the table";
}

TEST(SweepCharts, OptionsChangedTogether_AreOneAxis) {
  std::vector<PlannedCase> cases;
  for (const std::int64_t batch : {8, 16, 32}) {
    cases.push_back(
        {.options = {{"loader.batch_size", batch}, {"optimizer.lr", 0.1 * double(batch)}},
         .step_ns = about(double(batch))});
  }
  const Json dimensions = sweep_of(cases).charts["sweep"]["dimensions"];
  ASSERT_EQ(dimensions.size(), 1U);
  EXPECT_EQ(dimensions[0]["title"], "batch_size / lr");
  EXPECT_EQ(dimensions[0]["texts"][0], "8 / 0.8");
}

TEST(SweepCharts, ThreeOptions_AreSmallMultiples) {
  std::vector<PlannedCase> cases;
  for (std::int64_t i = 0; i < 24; ++i) {
    cases.push_back({.options = {{"a", i / 6}, {"b", i % 6 / 2}, {"c", i % 2 == 0}},
                     .step_ns = about(10 + double(i))});
  }
  const Drawn drawn = sweep_of(cases);
  EXPECT_THAT(charts_of(drawn), ElementsAre("heat", "heat", "lines", "lines", "dots", "dots"));
  const Json& heat = drawn.figures[0].json;
  EXPECT_EQ(heat["x"], 0) << "the one with most values";
  EXPECT_EQ(heat["y"], 1);
  EXPECT_EQ(heat["panel"], 2);
  EXPECT_EQ(drawn.figures[0].figure.title, "step [ms] by b, a and c");
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
  const Drawn drawn = sweep_of(cases);
  EXPECT_EQ(drawn.figures[0].json["chart"], "parallel");
  EXPECT_THAT(drawn.figures[0].figure.note, HasSubstr("1 case without a number"));
  EXPECT_EQ(drawn.charts["sweep"]["dimensions"].size(), 9U);
  EXPECT_TRUE(std::ranges::any_of(drawn.figures, [](const ReadFigure& read) {
    return read.figure.title.find("best 30 of 200 cases") != std::string::npos;
  }));
}

TEST(SweepCharts, RunsAndArms_AreTheLastDimension) {
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
  for (const auto& [cases, role, title, name] : {std::tuple{&runs, "line", "run", "20260201"},
                                                 std::tuple{&arms, "series", "arm", "arm b"}}) {
    const Drawn drawn = sweep_of(*cases);
    const Json& dimensions = drawn.charts["sweep"]["dimensions"];
    EXPECT_EQ(drawn.figures[0].json[role], dimensions.size() - 1);
    EXPECT_EQ(dimensions.back()["title"], title);
    EXPECT_THAT(dimensions.back()["texts"][1].get<std::string>(), HasSubstr(name));
  }
}

TEST(SweepCharts, VeryManyCases_ShowTheBest) {
  std::vector<PlannedCase> cases;
  for (std::int64_t i = 0; i < 5000; ++i) {
    cases.push_back({.options = {{"a", i / 100}, {"b", i % 100}}, .step_ns = {(6000 - i) * 1000}});
  }
  const Drawn drawn = sweep_of(cases);
  EXPECT_THAT(drawn.figures[0].figure.note, HasSubstr("the 2,000 best of 5,000 cases"));
  EXPECT_EQ(drawn.charts["sweep"]["rows"].size(), 2000U);
}

TEST(SweepCharts, OneCaseOrAllFailed_HasNone) {
  const PlannedCase one{.options = {{"a", std::int64_t{1}}}, .step_ns = {1}};
  const PlannedCase failed{.options = {{"a", std::int64_t{1}}}};
  const PlannedCase another{.options = {{"a", std::int64_t{2}}}};
  for (const std::vector<PlannedCase>& cases :
       std::vector<std::vector<PlannedCase>>{{}, {one}, {failed, another}}) {
    EXPECT_TRUE(sweep_of(cases).figures.empty());
  }
}

}  // namespace
}  // namespace stepbench::report
