// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>
#include <vector>

#include "harness/report/history.h"
#include "harness/report/internal/comparison_words.h"
#include "harness/report/internal/csv.h"
#include "harness/report/internal/export_formats.h"
#include "harness/report/result_tables.h"

namespace stepbench::report {
namespace {

std::vector<CsvColumn<ComparedMetric>> verdict_columns() {
  using Line = const ComparedMetric&;
  return {{"base", [](Line line) { return line.comparison->base; }},
          {"candidate", [](Line line) { return line.comparison->candidate; }},
          {"case_id", [](Line line) { return line.of->case_id; }},
          {"workload", [](Line line) { return line.of->workload; }},
          {"metric", [](Line line) { return line.metric->name; }},
          {"unit", [](Line line) { return line.metric->unit; }},
          {"primary", [](Line line) { return line.metric->primary; }},
          {"base_median", [](Line line) { return line.test->base_median; }},
          {"margin", [](Line line) { return csv_number(line.metric->margin); }},
          {"candidate_median", [](Line line) { return line.test->candidate_median; }},
          {"change", [](Line line) { return csv_number(line.test->change); }},
          {"change_low", [](Line line) { return line.test->interval.low; }},
          {"change_high", [](Line line) { return line.test->interval.high; }},
          {"p", [](Line line) { return line.test->p; }},
          {"p_adjusted", [](Line line) { return line.test->p_adjusted; }},
          {"p_mann_whitney", [](Line line) { return line.test->p_mann_whitney; }},
          {"pairs", [](Line line) { return static_cast<std::int64_t>(line.test->pairs); }},
          {"verdict", [](Line line) { return std::string(name_of(line.test->verdict)); }},
          {"reason", [](Line line) { return std::string(name_of(line.test->reason)); }},
          {"slower", [](Line line) { return line.test->slower; }},
          {"mean_change", [](Line line) { return csv_number(line.test->mean_change); }},
          {"mean_low", [](Line line) { return line.test->mean_interval.low; }},
          {"mean_high", [](Line line) { return line.test->mean_interval.high; }},
          {"corrected_change", [](Line line) { return csv_number(line.test->corrected_change); }}};
}

std::string verdict_csv(std::span<const verdict::Comparison> comparisons,
                        const ExportOptions& /*options*/) {
  std::set<std::string> options;
  for (const verdict::Comparison& comparison : comparisons) {
    for (const verdict::CaseResult& one : comparison.cases) {
      for (const auto& [name, value] : one.options) options.insert(name);
    }
  }
  std::vector<CsvColumn<ComparedMetric>> columns = verdict_columns();
  for (const std::string& name : options) {
    columns.push_back({"option." + name, [&name](const ComparedMetric& line) {
                         const auto found = line.of->options.find(name);
                         return found == line.of->options.end() ? Value() : found->second;
                       }});
  }
  std::string text = csv_heads(columns);
  for (const ComparedMetric& each : compared_metrics(comparisons)) {
    text += csv_line(columns, each);
  }
  return text;
}

}  // namespace

ExportFormat csv_format() {
  return {.name = "csv",
          .ending = ".csv",
          .use = "a spreadsheet, pandas",
          .of_run = write_table_as<Format::kCsv>,
          .of_verdict = verdict_csv,
          .of_history = [](const nights::History& history, const ExportOptions&) {
            return history_csv(history);
          }};
}

}  // namespace stepbench::report
