// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/comparison_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "harness/base/format.h"
#include "harness/estimate/case_rows.h"
#include "harness/stats/comparisons.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::string needed_text(std::size_t pairs) {
  if (pairs > stats::kMaxPairsNeeded) return formatted(">{}", stats::kMaxPairsNeeded);
  return formatted("~{}", pairs);
}

}  // namespace

std::vector<ComparedMetric> compared_metrics(std::span<const verdict::Comparison> comparisons) {
  std::vector<ComparedMetric> all;
  for (const verdict::Comparison& comparison : comparisons) {
    for (const verdict::CaseResult& one : comparison.cases) {
      for (const verdict::MetricResult& metric : one.metrics) {
        all.push_back({&comparison, &one, &metric, &metric.test});
      }
    }
  }
  return all;
}

std::string letter_of(std::size_t place) {
  return std::string(1, static_cast<char>('A' + static_cast<int>(place)));
}

std::string compared_value(double value, const std::string& unit) {
  if (!std::isfinite(value)) return "-";
  if (unit == "ns") return text::duration(value);
  if (unit == "bytes") return text::byte_text(value);
  return text::significant(value);
}

std::pair<std::string, std::string> compared_values(double before, double after,
                                                    const std::string& unit) {
  if (unit != "ns" || !std::isfinite(before) || !std::isfinite(after)) {
    return {compared_value(before, unit), compared_value(after, unit)};
  }
  const text::TimeUnit in = text::unit_for(std::array{before, after});
  const auto words = [&](double ns) {
    return text::significant(ns / in.ns) + ' ' + std::string(in.name);
  };
  return {words(before), words(after)};
}

std::string change_text(const verdict::TestResult& test) {
  return test.change ? text::signed_percent(*test.change) + " %" : "?";
}

std::string interval_text_of(const verdict::TestResult& test) {
  if (!test.change || !std::isfinite(test.interval.high)) return "-";
  return formatted("[{}, {}]", text::signed_percent(test.interval.low),
                   text::signed_percent(test.interval.high));
}

std::string corrected_text(const verdict::TestResult& test) {
  return test.corrected_change ? text::signed_percent(*test.corrected_change) + " %" : "-";
}

std::string adjusted_p_text(double p) {
  if (std::isnan(p)) return "-";
  if (p < 0.001) return "<0.001";
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.3f", p);
  return text.data();
}

std::string verdict_detail(const verdict::TestResult& test, const std::string& unit) {
  using verdict::TestReason;
  using verdict::Verdict;
  const std::string reason(verdict::describe(test.reason));
  if (test.verdict == Verdict::kSuspect) return test.slower ? ": worse" : ": better";
  if (test.verdict == Verdict::kNoData || test.verdict == Verdict::kInvalid) {
    return test.reason == TestReason::kNone ? "" : ": " + reason;
  }
  if (test.verdict != Verdict::kInconclusive) return {};
  if (test.reason == TestReason::kTooFewPairs)
    return formatted(": needs at least 6 {}, better 20", unit);
  if (!test.pairs_needed) return {};
  return formatted(": {}needs {} {}", reason.empty() ? reason : reason + ", ",
                   needed_text(*test.pairs_needed), unit);
}

std::string verdict_text(const verdict::TestResult& test, const std::string& unit) {
  return std::string(name_of(test.verdict)) + verdict_detail(test, unit);
}

std::string mark_of(const verdict::TestResult& test) {
  constexpr EnumNames<7> kMarks = {"worse", "better", "ok", "", "?", "invalid", "no data"};
  if (test.verdict == verdict::Verdict::kSuspect) return test.slower ? "worse?" : "better?";
  return std::string(kMarks.at(static_cast<std::size_t>(test.verdict)));
}

std::string verdict_counts(const verdict::Comparison& comparison) {
  std::map<std::string, std::size_t> marks;
  for (const ComparedMetric& each : compared_metrics({&comparison, 1})) {
    ++marks[mark_of(*each.test)];
  }
  constexpr std::pair<const char*, const char*> kWords[] = {
      {"worse", "worse"},          {"worse?", "perhaps worse"},
      {"better", "better"},        {"better?", "perhaps better"},
      {"ok", "within the margin"}, {"?", "undecided"},
      {"invalid", "invalid"},      {"no data", "without data"}};
  std::vector<std::string> parts;
  for (const auto& [mark, words] : kWords) {
    const auto found = marks.find(mark);
    if (found != marks.end()) parts.push_back(formatted("{} {}", found->second, words));
  }
  return text::join(parts);
}

std::string needed_unit(const verdict::Comparison& comparison) {
  return comparison.looks.empty() ? "launches" : "pairs";
}

ComparisonNames::ComparisonNames(const verdict::Comparison& comparison) : comparison_(comparison) {
  std::vector<const OptionValues*> cases;
  std::set<std::string> ids;
  for (const verdict::CaseResult& one : comparison.cases) {
    cases.push_back(&one.options);
    ids.insert(one.case_id);
  }
  for (const auto* missing : {&comparison.only_base, &comparison.only_candidate}) {
    for (const verdict::MissingCase& one : *missing) ids.insert(one.case_id);
  }
  varying_ = estimate::varying_options(cases, comparison.swept);
  digits_ = estimate::id_digits(ids);
  only_one_ = ids.size() == 1;
}

std::string ComparisonNames::of(const verdict::CaseResult& one) const {
  return name(one.options, one.workload, one.case_id);
}

std::string ComparisonNames::of(const verdict::MissingCase& one) const {
  return name(one.options, one.workload, one.case_id);
}

std::string ComparisonNames::of_id(const std::string& case_id) const {
  const auto found = std::ranges::find(comparison_.cases, case_id, &verdict::CaseResult::case_id);
  return found == comparison_.cases.end() ? "case " + short_id(case_id) : of(*found);
}

std::string ComparisonNames::name(const OptionValues& options, const std::string& workload,
                                  std::string_view id) const {
  std::string text = estimate::case_label(options, varying_);
  if (!text.empty()) return text;
  text = estimate::case_subject(options, workload);
  if (text.empty()) return "case " + short_id(id);
  return only_one_ ? text : formatted("{} ({})", text, short_id(id));
}

std::string ComparisonNames::short_id(std::string_view id) const {
  return std::string(id.substr(0, digits_));
}

}  // namespace stepbench::report
