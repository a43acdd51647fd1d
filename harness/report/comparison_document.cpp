// SPDX-License-Identifier: Apache-2.0
#include "harness/report/comparison_document.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/compare/ab_campaign.h"
#include "harness/document/cells.h"
#include "harness/report/comparison_cells.h"
#include "harness/report/comparison_chapters.h"
#include "harness/report/comparison_remarks.h"
#include "harness/report/tones.h"
#include "harness/report/verdict_answer.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

template <typename Predicate>
bool any_metric(const compare::Comparison& comparison, const Predicate& predicate) {
  return std::ranges::any_of(comparison.cases, [&](const compare::CaseResult& one) {
    return std::ranges::any_of(one.metrics, predicate);
  });
}

bool has_arms(const compare::Comparison& comparison) { return !comparison.looks.empty(); }

bool counts_decide(const compare::Comparison& comparison) {
  return any_metric(comparison,
                    [](const compare::MetricResult& metric) { return !metric.decides; });
}

bool has_corrected(const compare::Comparison& comparison) {
  return any_metric(comparison, [](const compare::MetricResult& metric) {
    return metric.test.corrected_change.has_value();
  });
}

// True if the ratio of the displayed medians differs visibly from the displayed change.
bool changes_differ_from_medians(const compare::Comparison& comparison) {
  return any_metric(comparison, [](const compare::MetricResult& metric) {
    constexpr double kSeen = 0.01;
    const compare::TestResult& test = metric.test;
    if (!test.change || !(test.base_median > 0)) return false;
    return std::abs(test.candidate_median / test.base_median - 1 - *test.change) > kSeen;
  });
}

std::string confidence_text(const compare::Comparison& comparison) {
  return std::to_string(std::lround(100 * comparison.rule.confidence));
}

// "2 metrics tested together: 1 rose, 1 fell, before margins"
std::string tests_text(const compare::Comparison& comparison) {
  const auto tested = static_cast<std::int64_t>(comparison.tested);
  if (tested == 0) return "nothing could be tested";
  const bool one_case = comparison.cases.size() == 1;
  return text::counted(tested, one_case ? "metric" : "test") +
         (tested == 1 ? ": "
          : one_case  ? " tested together: "
                      : " corrected together: ") +
         moved_text(moved_metrics({&comparison, 1}));
}

std::string design_text(const compare::Comparison& comparison) {
  const bool in_turns = comparison.rule.design == compare::Design::kInterleaved;
  std::string measured = in_turns ? "measured in turns" : "measured one after the other";
  if (has_arms(comparison)) {
    measured += ", " + compare::looks_text(comparison.looks);
    if (comparison.seed) measured += ", seed " + std::to_string(*comparison.seed);
  }
  return measured + "; " + text::counted(std::ssize(comparison.cases), "case") +
         (has_arms(comparison) ? ", " : " in both, ") + tests_text(comparison);
}

std::string legend_text(const compare::Comparison& comparison) {
  std::vector<std::string> parts;
  if (comparison.rule.confidence > 0.95) {
    parts.push_back("after several looks an interval of " + confidence_text(comparison) +
                    " % is as reliable as one of 95 % after one");
  }
  if (changes_differ_from_medians(comparison)) {
    const bool in_turns = comparison.rule.design == compare::Design::kInterleaved;
    parts.push_back(std::string("change: the centre of all ") +
                    (in_turns ? "pairs" : "pairs of a base launch and a new one") +
                    ", not the ratio of the two columns");
  }
  if (has_corrected(comparison)) {
    parts.emplace_back("corrected: without the selection bias of reported changes");
  }
  if (counts_decide(comparison)) {
    parts.emplace_back("in parentheses: not decisive, counts per step decide (--gate counts)");
  }
  return text::join(parts, "; ");
}

document::Chapter cases_chapter(const compare::Comparison& comparison, const ComparisonNames& names,
                                bool all) {
  MetricRows rows = metric_rows(comparison, names, all, false);
  document::Chapter cases{.id = comparison_chapters::kCases, .title = "Cases", .blocks = {}};
  cases.blocks.emplace_back(std::move(rows.table));
  if (rows.hidden_ok > 0) {
    cases.blocks.emplace_back(
        document::Paragraph{std::to_string(rows.hidden_ok) + " more are ok (--all shows them)"});
  }
  if (rows.hidden > 0) {
    cases.blocks.emplace_back(
        document::Paragraph{std::to_string(rows.hidden) + " more rows (--all shows them)"});
  }
  if (std::string legend = legend_text(comparison); !legend.empty()) {
    cases.blocks.emplace_back(document::Paragraph{std::move(legend)});
  }
  return cases;
}

}  // namespace

MetricRows metric_rows(const compare::Comparison& comparison, const ComparisonNames& names,
                       bool all, bool margins) {
  const bool arms = has_arms(comparison);
  const bool corrected = has_corrected(comparison) || margins;
  const bool pairs = arms || margins;
  MetricRows made;
  std::vector<document::Column>& columns = made.table.columns;
  columns = {{.head = "case", .left = true, .shrink_at = 50, .shrink_to = 16},
             document::words("metric"),
             {.head = arms ? "A" : "base"},
             {.head = arms ? "B" : "new"},
             {.head = "change"},
             {.head = confidence_text(comparison) + " % interval", .drop_at = 70}};
  if (corrected) columns.push_back({.head = "corrected"});
  if (margins) columns.push_back({.head = "margin"});
  columns.push_back({.head = "p adj", .drop_at = 20});
  if (pairs) columns.push_back({.head = "pairs", .drop_at = 30});
  columns.push_back({.head = "verdict", .left = true, .shrink_at = 60, .shrink_to = 31});
  std::size_t total = 0;
  for (const compare::CaseResult& one : comparison.cases) total += one.metrics.size();
  const bool with_ok = all || total <= kMaxOkRows;
  for (const compare::CaseResult& one : comparison.cases) {
    for (const compare::MetricResult& metric : one.metrics) {
      const compare::TestResult& test = metric.test;
      if (!with_ok && test.verdict == compare::Verdict::kOk) {
        ++made.hidden_ok;
        continue;
      }
      if (!all && made.table.rows.size() >= kMaxRows) {
        ++made.hidden;
        continue;
      }
      auto [base, candidate] =
          compared_values(test.base_median, test.candidate_median, metric.unit);
      std::vector<document::Cell> cells = {names.of(one),
                                           metric.name,
                                           {std::move(base), test.base_median},
                                           {std::move(candidate), test.candidate_median},
                                           {change_text(test), test.change},
                                           interval_text_of(test)};
      if (corrected) cells.push_back(document::change(test.corrected_change));
      if (margins) {
        cells.emplace_back(text::short_number(100 * metric.margin) + " %", metric.margin);
      }
      cells.emplace_back(adjusted_p_text(test.p_adjusted), test.p_adjusted);
      if (pairs) {
        cells.push_back(document::count(std::int64_t(arms ? one.ended_at : test.pairs)));
      }
      const std::string verdict = verdict_text(test, needed_unit(comparison));
      cells.emplace_back(metric.decides ? verdict : '(' + verdict + ')');
      made.table.rows.push_back({.cells = std::move(cells),
                                 .tone = metric.decides ? tone_of(test) : document::Tone::kDim});
    }
  }
  return made;
}

document::Document comparison_document(std::span<const compare::Comparison> comparisons, bool all) {
  if (comparisons.size() > 1) return several_document(comparisons, all);
  const compare::Comparison& comparison = comparisons.front();
  const ComparisonNames names(comparison);
  document::Chapter design{.id = comparison_chapters::kDesign,
                           .title = "Design",
                           .blocks = {document::Paragraph{design_text(comparison)}}};
  const std::vector<document::Paragraph> remarks = remark_paragraphs(comparison, names);
  document::Document document{
      .headline = has_arms(comparison) ? "A " + comparison.base + "   B " + comparison.candidate
                                       : comparison.base + " -> " + comparison.candidate,
      .answer = verdict_answer(comparisons, remarks),
      .chapters = {std::move(design), cases_chapter(comparison, names, all)},
      .all_columns_in = "--format markdown",
      .marker = kVerdictMarker};
  add_remarks(document, cause_paragraphs(comparison, names), remarks, comparisons);
  return document;
}

}  // namespace stepbench::report
