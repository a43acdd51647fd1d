// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include "harness/report/comparison_chapters.h"
#include "harness/report/comparison_document.h"
#include "harness/report/comparison_json.h"
#include "harness/report/html/comparison_charts.h"
#include "harness/report/html/report.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

// Doubts, how the verdict came about, then the table and what changed inside a step.
document::Chapter verdict_overview(document::Document& document) {
  namespace chapters = comparison_chapters;
  document::Chapter overview{.id = "overview", .title = "Overview", .blocks = {}};
  for (const char* id : {chapters::kDoubts, chapters::kDesign, chapters::kCases, chapters::kCauses,
                         chapters::kRemarks}) {
    const auto found = std::ranges::find(document.chapters, id, &document::Chapter::id);
    if (found == document.chapters.end()) continue;
    std::ranges::move(found->blocks, std::back_inserter(overview.blocks));
  }
  return overview;
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
      .sections = {verdict_overview(document)},
      .data = verdict_json(comparisons),
      .summary = text::counted(std::ssize(comparisons), "comparison") + ", " +
                 text::counted(static_cast<std::int64_t>(cases), "case"),
      .measured = std::any_of(comparisons.begin(), comparisons.end(), was_measured)};
  std::ranges::move(comparison_sections(comparisons), std::back_inserter(content.sections));
  return content;
}

}  // namespace stepbench::report
