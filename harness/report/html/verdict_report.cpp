// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "harness/compare/judge.h"
#include "harness/report/comparison_json.h"
#include "harness/report/comparison_text.h"
#include "harness/report/comparisons_text.h"
#include "harness/report/html/comparison_charts.h"
#include "harness/report/html/grid_table.h"
#include "harness/report/html/lines.h"
#include "harness/report/html/report.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

document::Tone tone_of_verdict(compare::Verdict verdict) {
  switch (verdict) {
    case compare::Verdict::kRegression:
    case compare::Verdict::kInvalid:
    case compare::Verdict::kNoData:
      return document::Tone::kBad;
    case compare::Verdict::kSuspect:
    case compare::Verdict::kInconclusive:
      return document::Tone::kDoubt;
    case compare::Verdict::kImprovement:
    case compare::Verdict::kOk:
      return document::Tone::kGood;
  }
  return document::Tone::kPlain;
}

// "A: warning: ...": of one of several results.
document::Tone tone_of_remark(std::string_view remark) {
  if (remark.find("invalid: ") < 5 || remark.find(": failed (") != std::string_view::npos) {
    return document::Tone::kBad;
  }
  return remark.find("warning: ") < 5 || remark.find("note: ") < 5 ? document::Tone::kDoubt
                                                                   : document::Tone::kPlain;
}

compare::Verdict worst_verdict(std::span<const compare::Comparison> comparisons) {
  return comparisons[compare::worst_of(comparisons)].verdict;
}

// Doubts, the verdict, how it came about, then the table and what changed inside a step.
document::Chapter verdict_section(const ComparisonParts& parts, compare::Verdict verdict) {
  document::Chapter section{.id = "overview", .title = "Overview", .blocks = {}};
  std::vector<document::Paragraph> remarks = paragraphs_of(parts.remarks, tone_of_remark);
  const auto plain = std::stable_partition(
      remarks.begin(), remarks.end(),
      [](const document::Paragraph& remark) { return remark.tone != document::Tone::kPlain; });
  const auto add = [&](auto first, auto last) {
    section.blocks.insert(section.blocks.end(), first, last);
  };
  add(remarks.begin(), plain);
  section.blocks.push_back(
      document::Paragraph{.text = parts.conclusion, .tone = tone_of_verdict(verdict)});
  for (const std::string& line : parts.design)
    section.blocks.push_back(document::Paragraph{.text = line});
  if (!parts.grid.rows.empty()) section.blocks.push_back(page_table(parts.grid, "Cases"));
  for (const std::string& line : parts.legend)
    section.blocks.push_back(document::Paragraph{.text = line});
  if (!parts.causes.empty()) {
    section.blocks.push_back(document::Verbatim{.title = "What changed inside a step",
                                                .text = text::join(parts.causes, "\n") + '\n'});
  }
  add(plain, remarks.end());
  return section;
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
  const bool one = comparisons.size() == 1;
  const ComparisonParts parts =
      one ? comparison_parts(comparisons.front()) : comparisons_parts(comparisons);
  std::size_t cases = 0;
  for (const compare::Comparison& comparison : comparisons) cases += comparison.cases.size();
  ReportContent content{
      .kind = "verdict",
      .title = parts.title,
      .sections = {verdict_section(parts, worst_verdict(comparisons))},
      .data = one ? comparison_json(comparisons.front()) : comparisons_json(comparisons),
      .summary = text::counted(std::ssize(comparisons), "comparison") + ", " +
                 text::counted(static_cast<std::int64_t>(cases), "case"),
      .measured = std::any_of(comparisons.begin(), comparisons.end(), was_measured)};
  for (document::Chapter& section : comparison_sections(comparisons)) {
    content.sections.push_back(std::move(section));
  }
  return content;
}

}  // namespace stepbench::report
