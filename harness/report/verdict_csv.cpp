// SPDX-License-Identifier: Apache-2.0
#include "harness/report/verdict_csv.h"

#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "harness/text/csv.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::string number_cell(std::optional<double> value) {
  return value && std::isfinite(*value) ? to_text(Value{*value}) : std::string();
}

std::string flag_cell(bool flag) { return flag ? "true" : "false"; }

}  // namespace

std::string verdict_csv(std::span<const compare::Comparison> comparisons) {
  std::set<std::string> options;
  for (const compare::Comparison& comparison : comparisons) {
    for (const compare::CaseResult& one : comparison.cases) {
      for (const auto& [name, value] : one.options) options.insert("option." + name);
    }
  }
  std::vector<std::string> heads = {"base",        "candidate",
                                    "case_id",     "workload",
                                    "metric",      "unit",
                                    "primary",     "base_median",
                                    "margin",      "candidate_median",
                                    "change",      "change_low",
                                    "change_high", "p",
                                    "p_adjusted",  "p_mann_whitney",
                                    "pairs",       "verdict",
                                    "reason",      "slower",
                                    "mean_change", "mean_low",
                                    "mean_high",   "corrected_change"};
  heads.insert(heads.end(), options.begin(), options.end());
  std::string text = text::join(heads, ",", text::csv_cell) + '\n';
  for (const compare::Comparison& comparison : comparisons) {
    for (const compare::CaseResult& one : comparison.cases) {
      for (const compare::MetricResult& metric : one.metrics) {
        const compare::TestResult& test = metric.test;
        std::vector<std::string> cells = {comparison.base,
                                          comparison.candidate,
                                          one.case_id,
                                          one.workload,
                                          metric.name,
                                          metric.unit,
                                          flag_cell(metric.primary),
                                          number_cell(test.base_median),
                                          number_cell(metric.margin),
                                          number_cell(test.candidate_median),
                                          number_cell(test.change),
                                          number_cell(test.interval.low),
                                          number_cell(test.interval.high),
                                          number_cell(test.p),
                                          number_cell(test.p_adjusted),
                                          number_cell(test.p_mann_whitney),
                                          std::to_string(test.pairs),
                                          std::string(name_of(test.verdict)),
                                          std::string(name_of(test.reason)),
                                          flag_cell(test.slower),
                                          number_cell(test.mean_change),
                                          number_cell(test.mean_interval.low),
                                          number_cell(test.mean_interval.high),
                                          number_cell(test.corrected_change)};
        for (const std::string& head : options) {
          const auto found = one.options.find(std::string_view(head).substr(head.find('.') + 1));
          const bool given = found != one.options.end() && !is_null(found->second);
          cells.push_back(given ? to_text(found->second) : std::string());
        }
        text += text::join(cells, ",", text::csv_cell) + '\n';
      }
    }
  }
  return text;
}

}  // namespace stepbench::report
