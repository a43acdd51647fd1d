// SPDX-License-Identifier: Apache-2.0
#include "harness/report/exports.h"
#include "harness/report/internal/comparison_words.h"
#include "harness/report/pages.h"
#include "harness/report/verdicts.h"
#include "tests/testing.h"
#include "tests/unit/report/charts/charted.h"
#include "tests/unit/verdict/result_maker.h"

namespace stepbench::report {
namespace {

using test::Json;

MadeResults three_cases(double factor, int seed, int launches) {
  return {.cases = {{.case_id = "aaaa", .num_workers = 2, .step_ns = around_10_ms(factor, seed)},
                    {.case_id = "bbbb", .num_workers = 4, .step_ns = around_10_ms(1, seed + 1)},
                    {.case_id = "cccc", .num_workers = 8, .step_ns = around_10_ms(1, seed + 2)}},
          .launches = launches};
}

verdict::Comparison slower_by_a_twentieth(int launches = 20) {
  const record::Results base = make(three_cases(1, 0, launches));
  MadeResults changed = three_cases(1.05, 3, launches);
  changed.cases[0].data_wait_ns = [](int) { return 1'500'000; };
  changed.cases.pop_back();
  const record::Results candidate = make(changed);
  return verdict::compare({&base, "old"}, {&candidate, "<i>new</i>"}, {});
}

std::vector<test::ReadFigure> figures_of(const verdict::Comparison& comparison) {
  std::vector<test::ReadFigure> figures;
  for (const document::Chapter& chapter : verdict_content({&comparison, 1}, {}).sections) {
    for (test::ReadFigure& figure : test::figures_of(chapter)) figures.push_back(std::move(figure));
  }
  return figures;
}

TEST(ComparisonCharts, Forest_NamesTheCases) {
  const verdict::Comparison comparison = slower_by_a_twentieth();
  const test::ReadFigure forest = figures_of(comparison).at(0);
  const ComparisonNames names(comparison);
  EXPECT_EQ(forest.json["names"][0], names.of(comparison.cases[0]));
  // The sides were measured one after the other.
  EXPECT_THAT(forest.figure.alt, HasSubstr("1 perhaps worse"));
  EXPECT_TRUE(figures_of({}).empty()) << "nothing to draw";
}

TEST(ComparisonCharts, LargeBase_IsComparedWithItself) {
  const verdict::Comparison comparison = slower_by_a_twentieth(32);
  ASSERT_TRUE(comparison.aa_control.change);
  EXPECT_LE(comparison.aa_control.interval.low, *comparison.aa_control.change);
  EXPECT_LT(std::abs(*comparison.aa_control.change), 0.01);
  const verdict::Comparison back = read_comparisons(comparison_json(comparison)).front();
  EXPECT_EQ(back.aa_control.change, comparison.aa_control.change);
  EXPECT_EQ(back.aa_control.interval.high, comparison.aa_control.interval.high);
}

TEST(ComparisonCharts, Claim_HasItsCorrectedSize) {
  verdict::Comparison comparison = slower_by_a_twentieth();
  const auto cases = [&] {
    return metric_rows(comparison, ComparisonNames(comparison), true, false).table;
  };
  const std::size_t columns = cases().columns.size();
  comparison.cases[0].metrics[0].test.corrected_change = 0.0421;
  EXPECT_EQ(cases().columns.size(), columns + 1);
  const auto has_size = Contains(::testing::Field(&document::Cell::text, "+4.21 %"));
  EXPECT_THAT(cases().rows[0].cells, has_size);
  EXPECT_THAT(cases().rows[1].cells, Not(has_size));
  EXPECT_THAT(export_format("csv")->of_verdict({&comparison, 1}, {}), HasSubstr(",0.0421"));
}

TEST(ComparisonCharts, Cause_ListsItsPhases) {
  const verdict::Comparison comparison = slower_by_a_twentieth();
  const auto figures = figures_of(comparison);
  ASSERT_EQ(figures.size(), 2U) << "nothing changed in the other cases";
  const auto& [figure, json] = figures[1];
  EXPECT_EQ(json["chart"], "cause");
  EXPECT_EQ(json["case"], 0);
  EXPECT_THAT(figure.alt, HasSubstr("data_wait +500 us"));
  EXPECT_THAT(figure.note, HasSubstr("to all other phases"));
}

TEST(ComparisonCharts, GateThatPassed_IsNotListed) {
  verdict::Comparison comparison = slower_by_a_twentieth();
  comparison.gates = {{.name = "drift", .state = verdict::GateState::kPassed},
                      {.name = "load", .state = verdict::GateState::kFailed}};
  std::vector<std::string> listed;
  for (const document::Chapter& chapter : verdict_content({&comparison, 1}, {}).sections) {
    for (const document::Block& block : chapter.blocks) {
      const auto* table = std::get_if<document::Table>(&block);
      if (table == nullptr || !table->title.starts_with("Gates")) continue;
      for (const auto& row : table->rows) listed.push_back(row.cells.at(0).text);
    }
  }
  EXPECT_EQ(listed, std::vector<std::string>{"load"});
}

}  // namespace
}  // namespace stepbench::report
