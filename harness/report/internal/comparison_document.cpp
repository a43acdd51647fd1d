// SPDX-License-Identifier: Apache-2.0
#include "harness/report/verdicts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/document/document.h"
#include "harness/estimate/case_rows.h"
#include "harness/report/internal/comparison_remarks.h"
#include "harness/report/internal/comparison_words.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/verdict/ab_campaign.h"

namespace stepbench::report {
namespace {

template <typename Predicate>
bool any_metric(const verdict::Comparison& comparison, const Predicate& predicate) {
  return std::ranges::any_of(compared_metrics({&comparison, 1}),
                             [&](const ComparedMetric& each) { return predicate(*each.metric); });
}

bool has_arms(const verdict::Comparison& comparison) { return !comparison.looks.empty(); }

bool counts_decide(const verdict::Comparison& comparison) {
  return any_metric(comparison,
                    [](const verdict::MetricResult& metric) { return !metric.decides; });
}

bool has_corrected(const verdict::Comparison& comparison) {
  return any_metric(comparison, [](const verdict::MetricResult& metric) {
    return metric.test.corrected_change.has_value();
  });
}

// True if the ratio of the displayed medians differs visibly from the displayed change.
bool changes_differ_from_medians(const verdict::Comparison& comparison) {
  return any_metric(comparison, [](const verdict::MetricResult& metric) {
    constexpr double kSeen = 0.01;
    const verdict::TestResult& test = metric.test;
    if (!test.change || !(test.base_median > 0)) return false;
    return std::abs(test.candidate_median / test.base_median - 1 - *test.change) > kSeen;
  });
}

std::string confidence_text(const verdict::Comparison& comparison) {
  return std::to_string(std::lround(100 * comparison.rule.confidence));
}

// "2 metrics tested together: 1 rose, 1 fell, before margins"
std::string tests_text(const verdict::Comparison& comparison) {
  const auto tested = static_cast<std::int64_t>(comparison.tested);
  if (tested == 0) return "nothing could be tested";
  const bool one_case = comparison.cases.size() == 1;
  return text::counted(tested, one_case ? "metric" : "test") +
         (tested == 1 ? ": "
          : one_case  ? " tested together: "
                      : " corrected together: ") +
         moved_text(moved_metrics({&comparison, 1}));
}

std::string design_text(const verdict::Comparison& comparison) {
  const bool in_turns = comparison.rule.design == verdict::Design::kInterleaved;
  std::string measured = in_turns ? "measured in turns" : "measured one after the other";
  if (has_arms(comparison)) {
    measured += ", " + verdict::looks_text(comparison.looks);
    if (comparison.seed) measured += formatted(", seed {}", *comparison.seed);
  }
  return formatted("{}; {}{}{}", measured, text::counted(std::ssize(comparison.cases), "case"),
                   has_arms(comparison) ? ", " : " in both, ", tests_text(comparison));
}

std::string legend_text(const verdict::Comparison& comparison) {
  std::vector<std::string> parts;
  if (comparison.rule.confidence > 0.95) {
    parts.push_back(
        formatted("after several looks an interval of {} % is as reliable as one of 95 % after one",
                  confidence_text(comparison)));
  }
  if (changes_differ_from_medians(comparison)) {
    const bool in_turns = comparison.rule.design == verdict::Design::kInterleaved;
    parts.push_back(formatted("change: the centre of all {}, not the ratio of the two columns",
                              in_turns ? "pairs" : "pairs of a base launch and a new one"));
  }
  if (has_corrected(comparison)) {
    parts.emplace_back("corrected: without the selection bias of reported changes");
  }
  if (counts_decide(comparison)) {
    parts.emplace_back("in parentheses: not decisive, counts per step decide (--gate counts)");
  }
  return text::join(parts, "; ");
}

document::Chapter cases_chapter(const verdict::Comparison& comparison, const ComparisonNames& names,
                                bool all) {
  MetricRows rows = metric_rows(comparison, names, all, false);
  document::Chapter cases{.id = comparison_chapters::kCases, .title = "Cases", .blocks = {}};
  cases.blocks.emplace_back(std::move(rows.table));
  if (rows.hidden_ok > 0) {
    cases.blocks.emplace_back(
        document::Paragraph{formatted("{} more are ok (--all shows them)", rows.hidden_ok)});
  }
  if (rows.hidden > 0) {
    cases.blocks.emplace_back(
        document::Paragraph{formatted("{} more rows (--all shows them)", rows.hidden)});
  }
  if (std::string legend = legend_text(comparison); !legend.empty()) {
    cases.blocks.emplace_back(document::Paragraph{std::move(legend)});
  }
  return cases;
}

}  // namespace

MetricRows metric_rows(const verdict::Comparison& comparison, const ComparisonNames& names,
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
  columns.push_back(
      {.head = "verdict", .left = true, .shrink_at = 60, .shrink_to = 31, .wraps = true});
  const std::vector<ComparedMetric> metrics = compared_metrics({&comparison, 1});
  const bool with_ok = all || metrics.size() <= kMaxOkRows;
  for (const ComparedMetric& each : metrics) {
    const verdict::CaseResult& one = *each.of;
    const verdict::MetricResult& metric = *each.metric;
    const verdict::TestResult& test = *each.test;
    if (!with_ok && test.verdict == verdict::Verdict::kOk) {
      ++made.hidden_ok;
      continue;
    }
    if (!all && made.table.rows.size() >= kMaxRows) {
      ++made.hidden;
      continue;
    }
    auto [base, candidate] = compared_values(test.base_median, test.candidate_median, metric.unit);
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
      cells.push_back(document::count(arms ? one.ended_at : test.pairs));
    }
    const std::string verdict = verdict_text(test, needed_unit(comparison));
    cells.emplace_back(metric.decides ? verdict : '(' + verdict + ')');
    made.table.rows.push_back(
        {.cells = std::move(cells), .tone = metric.decides ? tone_of(test) : document::Tone::kDim});
  }
  return made;
}

namespace {

// Deciding metrics with this verdict: worse ones first, then by size of change.
std::vector<ComparedMetric> with_verdict(const verdict::Comparison& comparison,
                                         verdict::Verdict verdict) {
  std::vector<ComparedMetric> found = compared_metrics({&comparison, 1});
  std::erase_if(found, [&](const ComparedMetric& each) {
    return !each.metric->decides || each.test->verdict != verdict;
  });
  std::ranges::stable_sort(found, [](const ComparedMetric& a, const ComparedMetric& b) {
    // A suspicion is mainly about what became worse.
    if (a.test->slower != b.test->slower) return a.test->slower;
    return std::abs(a.test->change.value_or(0)) > std::abs(b.test->change.value_or(0));
  });
  return found;
}

// "num_workers=2 step +6.10 % [+5.80, +6.41] and 2 more"; empty if there is none.
std::string changed_text(const verdict::Comparison& comparison, const ComparisonNames& names,
                         verdict::Verdict verdict) {
  const std::vector<ComparedMetric> found = with_verdict(comparison, verdict);
  if (found.empty()) return {};
  const ComparedMetric& first = found.front();
  std::string text = comparison.cases.size() == 1 ? "" : names.of(*first.of) + ' ';
  text += first.metric->name + ' ' + change_text(*first.test);
  if (const std::string interval = interval_text_of(*first.test); interval != "-") {
    text += ' ' + interval;
  }
  return found.size() == 1 ? text : formatted("{} and {} more", text, found.size() - 1);
}

// "nothing measured of arm B: killed by signal 9", for the first such case.
std::string no_data_text(const verdict::Comparison& comparison, const ComparisonNames& names) {
  const auto lacks = [](const verdict::CaseResult& one) { return !one.without_data.empty(); };
  const auto found = std::ranges::find_if(comparison.cases, lacks);
  if (found != comparison.cases.end()) {
    const auto more = std::ranges::count_if(comparison.cases, lacks) - 1;
    return formatted(
        "{}nothing measured of {}{}", comparison.cases.size() == 1 ? "" : names.of(*found) + ": ",
        found->without_data, more == 0 ? "" : ", and " + text::counted(more, "more case"));
  }
  const auto missing = std::ssize(comparison.only_base) + std::ssize(comparison.only_candidate);
  return missing == 0 ? "" : text::counted(missing, "case") + " on one side only";
}

// Text after the verdict's name.
std::string reason_text(const verdict::Comparison& comparison) {
  const ComparisonNames names(comparison);
  if (comparison.cases.empty()) return "no case is in both results";
  const std::size_t ok = with_verdict(comparison, verdict::Verdict::kOk).size();
  const std::string improved = changed_text(comparison, names, verdict::Verdict::kImprovement);
  switch (comparison.verdict) {
    case verdict::Verdict::kRegression: {
      const std::string worse = changed_text(comparison, names, comparison.verdict);
      return improved.empty() ? worse : formatted("{}; improvement: {}", worse, improved);
    }
    case verdict::Verdict::kImprovement:
    case verdict::Verdict::kSuspect:
      return changed_text(comparison, names, comparison.verdict);
    case verdict::Verdict::kOk:
      return ok == 1 ? "within its margin" : formatted("all {} within their margins", ok);
    case verdict::Verdict::kInconclusive: {
      const std::vector<ComparedMetric> open = with_verdict(comparison, comparison.verdict);
      if (open.empty()) return {};
      std::string text =
          formatted("{} of {} undecided", open.size(), text::counted(open.size() + ok, "metric"));
      const ComparedMetric& first = open.front();
      text += formatted(", {}{}{}", comparison.cases.size() == 1 ? "" : names.of(*first.of) + ' ',
                        first.metric->name, verdict_detail(*first.test, needed_unit(comparison)));
      return text;
    }
    case verdict::Verdict::kNoData:
      return no_data_text(comparison, names);
    case verdict::Verdict::kInvalid:
      break;
  }
  return {};
}

// "verdict: regression (exit code 1); num_workers=2 step +6.10 % [+5.80, +6.41] and 2 more". For
// several comparisons that of the worst. `remarks`: source of the doubts.
document::Answer verdict_answer(std::span<const verdict::Comparison> comparisons,
                                const std::vector<document::Paragraph>& remarks) {
  const verdict::Comparison& worst = comparisons[verdict::worst_of(comparisons)];
  document::Answer answer{
      .text = formatted("verdict: {} (exit code {})", name_of(worst.verdict), worst.exit_code),
      .tone = tone_of(worst.verdict)};
  if (comparisons.size() > 1) {
    const std::size_t at = verdict::worst_of(comparisons);
    answer.text += formatted(", {}, the worst of {}", letter_of(at + 1), comparisons.size());
  }
  if (const std::string reason = reason_text(worst); !reason.empty()) answer.text += "; " + reason;
  document::add_doubts(answer, remarks);
  return answer;
}

using RowKey = std::pair<std::string, std::string>;  // case id of the base, name of the metric

// Metrics of all runs, joined by case and name.
class JoinedMetrics {
 public:
  explicit JoinedMetrics(std::span<const verdict::Comparison> comparisons)
      : comparisons_(comparisons) {
    std::vector<const OptionValues*> options;
    std::set<std::string> ids;
    for (std::size_t run = 0; run < comparisons.size(); ++run) {
      for (const verdict::CaseResult& one : comparisons[run].cases) {
        if (cases_.try_emplace(one.case_id, &one).second) options.push_back(&one.options);
        ids.insert(one.case_id);
        for (const verdict::MetricResult& metric : one.metrics) {
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
    std::set<verdict::Verdict> seen;
    for (const auto& [key, tests] : tests_) {
      for (const auto& [run, metric] : tests) seen.insert(metric->test.verdict);
    }
    std::vector<std::string> parts;
    if (seen.contains(verdict::Verdict::kSuspect)) {
      parts.emplace_back("worse? better?: possible change, confirm with `stepbench ab`");
    }
    if (seen.contains(verdict::Verdict::kOk)) {
      parts.emplace_back("ok: shown to lie within the margin");
    }
    if (seen.contains(verdict::Verdict::kInconclusive)) {
      parts.emplace_back("?: undecided, needs more launches");
    }
    return text::join(parts, "; ");
  }

 private:
  [[nodiscard]] document::TableRow row_of(const RowKey& key) const {
    const auto& tests = tests_.at(key);
    const verdict::MetricResult& any = *tests.begin()->second;
    const verdict::CaseResult& one = *cases_.at(key.first);
    document::TableRow row{
        .cells = {estimate::case_name(one.options, one.workload, varying_,
                                      key.first.substr(0, digits_)),
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
      const verdict::TestResult& test = found->second->test;
      row.cells.emplace_back(change_text(test) + ' ' + mark_of(test));
      row.cells.emplace_back(interval_text_of(test));
      row.tone = std::max(row.tone, tone_of(test));
    }
    return row;
  }

  std::span<const verdict::Comparison> comparisons_;
  std::map<std::string, const verdict::CaseResult*> cases_;  // by id, first occurrence
  std::map<RowKey, std::map<std::size_t, const verdict::MetricResult*>> tests_;  // by run
  std::vector<RowKey> order_;
  std::vector<std::string> varying_;
  std::size_t digits_ = 0;
};

// "suspect: 2 perhaps worse, 3 within the margin, 1 undecided (exit code 3)"
std::string verdict_line(const verdict::Comparison& comparison) {
  const std::string counts = verdict_counts(comparison);
  return formatted("{}{} (exit code {})", name_of(comparison.verdict),
                   counts.empty() ? "; no case is in both results" : ": " + counts,
                   comparison.exit_code);
}

document::Chapter design_of_several(std::span<const verdict::Comparison> comparisons,
                                    std::size_t cases) {
  std::vector<std::string> lines = {"A " + comparisons.front().base + " (base)"};
  for (std::size_t run = 0; run < comparisons.size(); ++run) {
    lines.push_back(formatted("{} {}: {}", letter_of(run + 1), comparisons[run].candidate,
                              verdict_line(comparisons[run])));
  }
  lines.emplace_back("measured one after the other; each against A");
  const auto tested = static_cast<std::int64_t>(comparisons.front().tested);
  lines.push_back(text::counted(cases, "case") + ", " +
                  (tested == 0 ? std::string("nothing could be tested")
                               : formatted("{} of all runs corrected together: {}",
                                           text::counted(tested, "test"),
                                           moved_text(moved_metrics(comparisons)))));
  document::Chapter design{.id = comparison_chapters::kDesign, .title = "Design", .blocks = {}};
  document::add_paragraphs(design.blocks, lines);
  return design;
}

std::vector<document::Paragraph> causes_of_several(
    std::span<const verdict::Comparison> comparisons) {
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
    std::span<const verdict::Comparison> comparisons) {
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

// For two or more comparisons.
document::Document several_document(std::span<const verdict::Comparison> comparisons, bool all) {
  const JoinedMetrics joined(comparisons);
  document::Chapter cases{.id = comparison_chapters::kCases, .title = "Cases", .blocks = {}};
  std::size_t hidden = 0;
  cases.blocks.emplace_back(joined.table(all, hidden));
  if (hidden > 0) {
    cases.blocks.emplace_back(
        document::Paragraph{text::counted(hidden, "more row") + " (--all shows them)"});
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

}  // namespace

document::Document comparison_document(std::span<const verdict::Comparison> comparisons, bool all) {
  if (comparisons.size() > 1) return several_document(comparisons, all);
  const verdict::Comparison& comparison = comparisons.front();
  const ComparisonNames names(comparison);
  document::Chapter design{.id = comparison_chapters::kDesign,
                           .title = "Design",
                           .blocks = {document::Paragraph{design_text(comparison)}}};
  const std::vector<document::Paragraph> remarks = remark_paragraphs(comparison, names);
  document::Document document{
      .headline = has_arms(comparison)
                      ? formatted("A {}   B {}", comparison.base, comparison.candidate)
                      : comparison.base + " -> " + comparison.candidate,
      .answer = verdict_answer(comparisons, remarks),
      .chapters = {std::move(design), cases_chapter(comparison, names, all)},
      .all_columns_in = "--format markdown",
      .marker = kVerdictMarker};
  add_remarks(document, cause_paragraphs(comparison, names), remarks, comparisons);
  return document;
}

}  // namespace stepbench::report
