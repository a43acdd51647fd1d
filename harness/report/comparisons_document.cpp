// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/document/cells.h"
#include "harness/estimate/case_rows.h"
#include "harness/report/comparison_cells.h"
#include "harness/report/comparison_chapters.h"
#include "harness/report/comparison_document.h"
#include "harness/report/comparison_remarks.h"
#include "harness/report/tones.h"
#include "harness/report/verdict_answer.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using RowKey = std::pair<std::string, std::string>;  // case id of the base, name of the metric

std::string mark_of(const compare::TestResult& test) {
  switch (test.verdict) {
    case compare::Verdict::kSuspect:
      return test.slower ? "worse?" : "better?";
    case compare::Verdict::kRegression:
      return "worse";
    case compare::Verdict::kImprovement:
      return "better";
    case compare::Verdict::kOk:
      return "ok";
    case compare::Verdict::kInconclusive:
      return "?";
    case compare::Verdict::kInvalid:
      return "invalid";
    case compare::Verdict::kNoData:
      return "no data";
  }
  return {};
}

// Metrics of all runs, joined by case and name.
class JoinedMetrics {
 public:
  explicit JoinedMetrics(std::span<const compare::Comparison> comparisons)
      : comparisons_(comparisons) {
    std::vector<const OptionValues*> options;
    std::set<std::string> ids;
    for (std::size_t run = 0; run < comparisons.size(); ++run) {
      for (const compare::CaseResult& one : comparisons[run].cases) {
        if (cases_.try_emplace(one.case_id, &one).second) options.push_back(&one.options);
        ids.insert(one.case_id);
        for (const compare::MetricResult& metric : one.metrics) {
          auto& tests = tests_[{one.case_id, metric.name}];
          if (tests.empty()) order_.emplace_back(one.case_id, metric.name);
          tests.emplace(run, &metric);
        }
      }
    }
    digits_ = estimate::id_digits(ids);
    varying_ = estimate::varying_options(options, comparisons.front().swept);
  }

  [[nodiscard]] std::size_t cases() const { return cases_.size(); }

  // Sets `hidden` to the number of omitted rows.
  [[nodiscard]] document::Table table(bool all, std::size_t& hidden) const {
    document::Table table;
    table.columns = {{.head = "case", .left = true, .shrink_at = 50, .shrink_to = 16},
                     document::words("metric"),
                     {.head = "A"}};
    for (std::size_t run = 0; run < comparisons_.size(); ++run) {
      table.columns.push_back(document::words(letter_of(run + 1)));
      table.columns.push_back({.head = "95 % interval", .left = true, .drop_at = 30});
    }
    const bool with_ok = all || order_.size() <= kMaxOkRows;
    for (const RowKey& key : order_) {
      document::TableRow row = row_of(key);
      if ((!with_ok && row.tone == document::Tone::kDim) ||
          (!all && table.rows.size() >= kMaxRows)) {
        ++hidden;
      } else {
        table.rows.push_back(std::move(row));
      }
    }
    return table;
  }

  [[nodiscard]] std::string legend() const {
    std::set<compare::Verdict> seen;
    for (const auto& [key, tests] : tests_) {
      for (const auto& [run, metric] : tests) seen.insert(metric->test.verdict);
    }
    std::vector<std::string> parts;
    if (seen.contains(compare::Verdict::kSuspect)) {
      parts.emplace_back("worse? better?: possible change, confirm with `stepbench ab`");
    }
    if (seen.contains(compare::Verdict::kOk)) {
      parts.emplace_back("ok: shown to lie within the margin");
    }
    if (seen.contains(compare::Verdict::kInconclusive)) {
      parts.emplace_back("?: undecided, needs more launches");
    }
    return text::join(parts, "; ");
  }

 private:
  [[nodiscard]] document::TableRow row_of(const RowKey& key) const {
    const auto& tests = tests_.at(key);
    const compare::MetricResult& any = *tests.begin()->second;
    const compare::CaseResult& one = *cases_.at(key.first);
    std::string label = estimate::case_label(one.options, varying_);
    if (label.empty()) label = estimate::case_subject(one.options, one.workload);
    document::TableRow row{
        .cells = {label.empty() ? key.first.substr(0, digits_) : label,
                  any.name,
                  {compared_value(any.test.base_median, any.unit), any.test.base_median}},
        .tone = document::Tone::kDim};
    for (std::size_t run = 0; run < comparisons_.size(); ++run) {
      const auto found = tests.find(run);
      if (found == tests.end()) {
        row.cells.insert(row.cells.end(), {"not measured", "-"});
        row.tone = std::max(row.tone, document::Tone::kPlain);
        continue;
      }
      const compare::TestResult& test = found->second->test;
      row.cells.emplace_back(change_text(test) + ' ' + mark_of(test));
      row.cells.emplace_back(interval_text_of(test));
      row.tone = std::max(row.tone, tone_of(test));
    }
    return row;
  }

  std::span<const compare::Comparison> comparisons_;
  std::map<std::string, const compare::CaseResult*> cases_;  // by id, first occurrence
  std::map<RowKey, std::map<std::size_t, const compare::MetricResult*>> tests_;  // by run
  std::vector<RowKey> order_;
  std::vector<std::string> varying_;
  std::size_t digits_ = 0;
};

// "suspect: 2 perhaps worse, 3 within the margin, 1 undecided (exit code 3)"
std::string verdict_line(const compare::Comparison& comparison) {
  std::map<std::string, std::size_t> marks;
  for (const compare::CaseResult& one : comparison.cases) {
    for (const compare::MetricResult& metric : one.metrics) ++marks[mark_of(metric.test)];
  }
  constexpr std::pair<const char*, const char*> kWords[] = {
      {"worse", "worse"},          {"worse?", "perhaps worse"},
      {"better", "better"},        {"better?", "perhaps better"},
      {"ok", "within the margin"}, {"?", "undecided"},
      {"invalid", "invalid"},      {"no data", "without data"}};
  std::vector<std::string> parts;
  for (const auto& [mark, words] : kWords) {
    const auto found = marks.find(mark);
    if (found != marks.end()) parts.push_back(std::to_string(found->second) + ' ' + words);
  }
  std::string text(name_of(comparison.verdict));
  text += parts.empty() ? "; no case is in both results" : ": " + text::join(parts);
  return text + " (exit code " + std::to_string(comparison.exit_code) + ")";
}

document::Chapter design_of_several(std::span<const compare::Comparison> comparisons,
                                    std::size_t cases) {
  std::vector<std::string> lines = {"A " + comparisons.front().base + " (base)"};
  for (std::size_t run = 0; run < comparisons.size(); ++run) {
    lines.push_back(letter_of(run + 1) + ' ' + comparisons[run].candidate + ": " +
                    verdict_line(comparisons[run]));
  }
  lines.emplace_back("measured one after the other; each against A");
  const auto tested = static_cast<std::int64_t>(comparisons.front().tested);
  lines.push_back(text::counted(std::int64_t(cases), "case") + ", " +
                  (tested == 0
                       ? std::string("nothing could be tested")
                       : text::counted(tested, "test") + " of all runs corrected together: " +
                             moved_text(moved_metrics(comparisons))));
  document::Chapter design{.id = comparison_chapters::kDesign, .title = "Design", .blocks = {}};
  document::add_paragraphs(design.blocks, lines);
  return design;
}

std::vector<document::Paragraph> causes_of_several(
    std::span<const compare::Comparison> comparisons) {
  std::vector<document::Paragraph> causes;
  for (std::size_t run = 0; run < comparisons.size(); ++run) {
    const ComparisonNames names(comparisons[run]);
    for (document::Paragraph& cause : cause_paragraphs(comparisons[run], names)) {
      cause.text.insert(0, letter_of(run + 1) + ", ");
      causes.push_back(std::move(cause));
    }
  }
  return causes;
}

// Merges remarks that apply to every run; others begin with the letters of their runs.
std::vector<document::Paragraph> remarks_of_several(
    std::span<const compare::Comparison> comparisons) {
  std::vector<document::Paragraph> remarks;
  std::vector<std::vector<std::size_t>> runs_of;
  for (std::size_t run = 0; run < comparisons.size(); ++run) {
    const ComparisonNames names(comparisons[run]);
    for (document::Paragraph& remark : remark_paragraphs(comparisons[run], names)) {
      const auto known = std::ranges::find(remarks, remark.text, &document::Paragraph::text);
      const auto place = static_cast<std::size_t>(known - remarks.begin());
      if (known == remarks.end()) {
        remarks.push_back(std::move(remark));
        runs_of.emplace_back();
      }
      if (runs_of[place].empty() || runs_of[place].back() != run) runs_of[place].push_back(run);
    }
  }
  for (std::size_t i = 0; i < remarks.size(); ++i) {
    if (runs_of[i].size() == comparisons.size()) continue;
    const auto letters =
        text::join(runs_of[i], ", ", [](std::size_t run) { return letter_of(run + 1); });
    remarks[i].text.insert(0, letters + ": ");
  }
  return remarks;
}

}  // namespace

document::Document several_document(std::span<const compare::Comparison> comparisons, bool all) {
  const JoinedMetrics joined(comparisons);
  document::Chapter cases{.id = comparison_chapters::kCases, .title = "Cases", .blocks = {}};
  std::size_t hidden = 0;
  cases.blocks.emplace_back(joined.table(all, hidden));
  if (hidden > 0) {
    cases.blocks.emplace_back(document::Paragraph{
        text::counted(static_cast<std::int64_t>(hidden), "more row") + " (--all shows them)"});
  }
  if (std::string legend = joined.legend(); !legend.empty()) {
    cases.blocks.emplace_back(document::Paragraph{std::move(legend)});
  }
  const std::vector<document::Paragraph> remarks = remarks_of_several(comparisons);
  document::Document document{
      .headline =
          text::counted(std::ssize(comparisons), "result") + " against " + comparisons.front().base,
      .answer = verdict_answer(comparisons, remarks),
      .chapters = {design_of_several(comparisons, joined.cases()), std::move(cases)},
      .all_columns_in = "--format markdown",
      .marker = kVerdictMarker};
  add_remarks(document, causes_of_several(comparisons), remarks, comparisons);
  return document;
}

}  // namespace stepbench::report
