// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "harness/report/comparison_chapters.h"
#include "harness/report/comparison_document.h"
#include "harness/report/comparison_json.h"
#include "harness/report/html/comparison_charts.h"
#include "harness/report/html/report.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

namespace chapters = comparison_chapters;

// Moves the blocks of these chapters out of the document.
std::vector<document::Block> blocks_of(document::Document& document,
                                       std::initializer_list<const char*> ids) {
  std::vector<document::Block> blocks;
  for (const char* id : ids) {
    const auto found = std::ranges::find(document.chapters, id, &document::Chapter::id);
    if (found == document.chapters.end()) continue;
    std::ranges::move(found->blocks, std::back_inserter(blocks));
  }
  return blocks;
}

bool was_measured(const compare::Comparison& comparison) {
  return std::any_of(comparison.cases.begin(), comparison.cases.end(),
                     [](const compare::CaseResult& one) {
                       return std::any_of(one.metrics.begin(), one.metrics.end(),
                                          [](const compare::MetricResult& metric) {
                                            return metric.test.verdict != compare::Verdict::kNoData;
                                          });
                     });
}

}  // namespace

ReportContent verdict_content(std::span<const compare::Comparison> comparisons,
                              const DrawOptions& /*draw*/) {
  document::Document document = comparison_document(comparisons, true);
  std::size_t cases = 0;
  for (const compare::Comparison& comparison : comparisons) cases += comparison.cases.size();
  ReportContent content{
      .kind = "verdict",
      .title = document.headline,
      .answer = document.answer,
      .sections = {},
      .data = verdict_json(comparisons),
      .summary = text::counted(std::ssize(comparisons), "comparison") + ", " +
                 text::counted(static_cast<std::int64_t>(cases), "case"),
      .measured = std::any_of(comparisons.begin(), comparisons.end(), was_measured)};
  // For several comparisons the tables say which letter is which; the table of a single one goes
  // below its chart.
  std::vector<document::Block> overview =
      comparisons.size() > 1
          ? blocks_of(document, {chapters::kDesign, chapters::kCases, chapters::kCauses})
          : blocks_of(document, {chapters::kCauses});
  std::ranges::move(blocks_of(document, {chapters::kDoubts}), std::back_inserter(overview));
  document::Chapter first{.id = "overview", .title = "Overview", .blocks = std::move(overview)};
  std::vector<document::Chapter> sections = comparison_sections(comparisons);
  if (sections.size() == 1) move_first_figure(sections.front(), first, 0);
  if (!first.blocks.empty()) content.sections.push_back(std::move(first));
  std::ranges::move(sections, std::back_inserter(content.sections));
  std::vector<document::Block> rest =
      comparisons.size() > 1 ? blocks_of(document, {chapters::kRemarks})
                             : blocks_of(document, {chapters::kDesign, chapters::kRemarks});
  content.sections.push_back({.id = chapters::kDesign,
                              .title = "How it was measured and judged",
                              .blocks = std::move(rest),
                              .folded = true});
  return content;
}

}  // namespace stepbench::report
