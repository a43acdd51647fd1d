// SPDX-License-Identifier: Apache-2.0
// The cases and the options of a sweep. tests/report checks how the script draws them.
#include "harness/report/internal/html/run_sections.h"
#include "tests/testing.h"
#include "tests/unit/report/charts/charted.h"

namespace stepbench::report {
namespace {

using test::Drawn;
using test::Json;
using test::PlannedCase;

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
  return test::drawn_by([&](json::JsonText& json) {
    add_cases(json, facts, {});
    return sweep_section(facts);
  });
}

TEST(SweepCharts, RunsAndArms_DistinguishCases) {
  std::vector<PlannedCase> runs;
  std::vector<PlannedCase> arms;
  for (const char* each : {"a", "b"}) {
    arms.push_back({.options = {{"a", std::int64_t{1}}}, .step_ns = about(10), .arm = each});
    runs.push_back(
        {.options = {{"loader.num_workers", std::int64_t{2}}},
         .step_ns = about(10),
         .run_id = each == std::string("a") ? "20260131-120000-demo" : "20260201-120000-demo"});
  }
  for (const auto& [cases, title, name] :
       {std::tuple{&runs, "run", "20260201"}, std::tuple{&arms, "arm", "arm b"}}) {
    const Drawn drawn = sweep_of(*cases);
    EXPECT_EQ(drawn.charts["series_title"], title);
    EXPECT_THAT(drawn.charts["series"][1].get<std::string>(), HasSubstr(name));
  }
}

TEST(SweepCharts, Title_NamesTheOptions) {
  std::vector<PlannedCase> cases;
  for (std::int64_t i = 0; i < 4; ++i) {
    cases.push_back({.options = {{"loader.a", i / 2}, {"b", i % 2 == 0}}, .step_ns = about(10)});
  }
  const Drawn drawn = sweep_of(cases);
  ASSERT_EQ(drawn.figures.size(), 1U);
  EXPECT_EQ(drawn.figures[0].figure.title, "step and samples/s by b and a");
  EXPECT_EQ(drawn.charts["options"], Json::parse(R"([["b","b"],["loader.a","a"]])"));
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
