// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>
#include <vector>

#include "harness/report/exports.h"
#include "harness/text/csv.h"

namespace stepbench::report {
namespace {

struct VerdictLine {
  const compare::Comparison& comparison;
  const compare::CaseResult& of_case;
  const compare::MetricResult& metric;
  const compare::TestResult& test;
};

std::vector<text::CsvColumn<VerdictLine>> verdict_columns() {
  using Line = const VerdictLine&;
  return {
      {"base", [](Line line) { return line.comparison.base; }},
      {"candidate", [](Line line) { return line.comparison.candidate; }},
      {"case_id", [](Line line) { return line.of_case.case_id; }},
      {"workload", [](Line line) { return line.of_case.workload; }},
      {"metric", [](Line line) { return line.metric.name; }},
      {"unit", [](Line line) { return line.metric.unit; }},
      {"primary", [](Line line) { return line.metric.primary; }},
      {"base_median", [](Line line) { return line.test.base_median; }},
      {"margin", [](Line line) { return text::csv_number(line.metric.margin); }},
      {"candidate_median", [](Line line) { return line.test.candidate_median; }},
      {"change", [](Line line) { return text::csv_number(line.test.change); }},
      {"change_low", [](Line line) { return line.test.interval.low; }},
      {"change_high", [](Line line) { return line.test.interval.high; }},
      {"p", [](Line line) { return line.test.p; }},
      {"p_adjusted", [](Line line) { return line.test.p_adjusted; }},
      {"p_mann_whitney", [](Line line) { return line.test.p_mann_whitney; }},
      {"pairs", [](Line line) { return static_cast<std::int64_t>(line.test.pairs); }},
      {"verdict", [](Line line) { return std::string(name_of(line.test.verdict)); }},
      {"reason", [](Line line) { return std::string(name_of(line.test.reason)); }},
      {"slower", [](Line line) { return line.test.slower; }},
      {"mean_change", [](Line line) { return text::csv_number(line.test.mean_change); }},
      {"mean_low", [](Line line) { return line.test.mean_interval.low; }},
      {"mean_high", [](Line line) { return line.test.mean_interval.high; }},
      {"corrected_change", [](Line line) { return text::csv_number(line.test.corrected_change); }}};
}

}  // namespace

std::string verdict_csv(std::span<const compare::Comparison> comparisons) {
  std::set<std::string> options;
  for (const compare::Comparison& comparison : comparisons) {
    for (const compare::CaseResult& one : comparison.cases) {
      for (const auto& [name, value] : one.options) options.insert(name);
    }
  }
  std::vector<text::CsvColumn<VerdictLine>> columns = verdict_columns();
  for (const std::string& name : options) {
    columns.push_back({"option." + name, [&name](const VerdictLine& line) {
                         const auto found = line.of_case.options.find(name);
                         return found == line.of_case.options.end() ? Value() : found->second;
                       }});
  }
  std::string text = text::csv_heads(columns);
  for (const compare::Comparison& comparison : comparisons) {
    for (const compare::CaseResult& one : comparison.cases) {
      for (const compare::MetricResult& metric : one.metrics) {
        text += text::csv_line(columns, {comparison, one, metric, metric.test});
      }
    }
  }
  return text;
}

}  // namespace stepbench::report
