// SPDX-License-Identifier: Apache-2.0
#include "harness/report/verdict_answer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "harness/report/comparison_cells.h"
#include "harness/report/comparison_names.h"
#include "harness/report/tones.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

struct JudgedMetric {
  const compare::CaseResult* of;
  const compare::MetricResult* metric;
};

// Deciding metrics with this verdict: worse ones first, then by size of change.
std::vector<JudgedMetric> with_verdict(const compare::Comparison& comparison,
                                       compare::Verdict verdict) {
  std::vector<JudgedMetric> found;
  for (const compare::CaseResult& one : comparison.cases) {
    for (const compare::MetricResult& metric : one.metrics) {
      if (metric.decides && metric.test.verdict == verdict) found.push_back({&one, &metric});
    }
  }
  std::ranges::stable_sort(found, [](const JudgedMetric& a, const JudgedMetric& b) {
    // A suspicion is mainly about what became worse.
    if (a.metric->test.slower != b.metric->test.slower) return a.metric->test.slower;
    return std::abs(a.metric->test.change.value_or(0)) >
           std::abs(b.metric->test.change.value_or(0));
  });
  return found;
}

// "num_workers=2 step +6.10 % [+5.80, +6.41] and 2 more"; empty if there is none.
std::string changed_text(const compare::Comparison& comparison, const ComparisonNames& names,
                         compare::Verdict verdict) {
  const std::vector<JudgedMetric> found = with_verdict(comparison, verdict);
  if (found.empty()) return {};
  const JudgedMetric& first = found.front();
  std::string text = comparison.cases.size() == 1 ? "" : names.of(*first.of) + ' ';
  text += first.metric->name + ' ' + change_text(first.metric->test);
  if (const std::string interval = interval_text_of(first.metric->test); interval != "-") {
    text += ' ' + interval;
  }
  return found.size() == 1 ? text : text + " and " + std::to_string(found.size() - 1) + " more";
}

// "nothing measured of arm B: killed by signal 9", for the first such case.
std::string no_data_text(const compare::Comparison& comparison, const ComparisonNames& names) {
  const auto lacks = [](const compare::CaseResult& one) { return !one.without_data.empty(); };
  const auto found = std::ranges::find_if(comparison.cases, lacks);
  if (found != comparison.cases.end()) {
    const auto more = std::ranges::count_if(comparison.cases, lacks) - 1;
    return (comparison.cases.size() == 1 ? "" : names.of(*found) + ": ") + "nothing measured of " +
           found->without_data + (more == 0 ? "" : ", and " + text::counted(more, "more case"));
  }
  const auto missing = std::ssize(comparison.only_base) + std::ssize(comparison.only_candidate);
  return missing == 0 ? "" : text::counted(missing, "case") + " on one side only";
}

// Text after the verdict's name.
std::string reason_text(const compare::Comparison& comparison) {
  const ComparisonNames names(comparison);
  if (comparison.cases.empty()) return "no case is in both results";
  const std::size_t ok = with_verdict(comparison, compare::Verdict::kOk).size();
  const std::string improved = changed_text(comparison, names, compare::Verdict::kImprovement);
  switch (comparison.verdict) {
    case compare::Verdict::kRegression: {
      const std::string worse = changed_text(comparison, names, comparison.verdict);
      return improved.empty() ? worse : worse + "; improvement: " + improved;
    }
    case compare::Verdict::kImprovement:
    case compare::Verdict::kSuspect:
      return changed_text(comparison, names, comparison.verdict);
    case compare::Verdict::kOk:
      return ok == 1 ? "within its margin" : "all " + std::to_string(ok) + " within their margins";
    case compare::Verdict::kInconclusive: {
      const std::vector<JudgedMetric> open = with_verdict(comparison, comparison.verdict);
      if (open.empty()) return {};
      std::string text = std::to_string(open.size()) + " of " +
                         text::counted(static_cast<std::int64_t>(open.size() + ok), "metric") +
                         " undecided";
      const JudgedMetric& first = open.front();
      const std::string what = verdict_text(first.metric->test, needed_unit(comparison));
      text += ", " + (comparison.cases.size() == 1 ? "" : names.of(*first.of) + ' ') +
              first.metric->name + what.substr(name_of(comparison.verdict).size());
      return text;
    }
    case compare::Verdict::kNoData:
      return no_data_text(comparison, names);
    case compare::Verdict::kInvalid:
      break;
  }
  return {};
}

}  // namespace

document::Answer verdict_answer(std::span<const compare::Comparison> comparisons,
                                const std::vector<document::Paragraph>& remarks) {
  const compare::Comparison& worst = comparisons[compare::worst_of(comparisons)];
  document::Answer answer{.text = "verdict: " + std::string(name_of(worst.verdict)) +
                                  " (exit code " + std::to_string(worst.exit_code) + ')',
                          .tone = tone_of(worst.verdict)};
  if (comparisons.size() > 1) {
    const std::size_t at = compare::worst_of(comparisons);
    answer.text +=
        ", " + letter_of(at + 1) + ", the worst of " + std::to_string(comparisons.size());
  }
  if (const std::string reason = reason_text(worst); !reason.empty()) answer.text += "; " + reason;
  document::add_doubts(answer, remarks);
  return answer;
}

}  // namespace stepbench::report
