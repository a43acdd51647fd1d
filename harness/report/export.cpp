// SPDX-License-Identifier: Apache-2.0
#include "harness/report/export.h"

#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "harness/record/encode.h"
#include "harness/record/json_text.h"
#include "harness/report/case_rows.h"
#include "harness/report/notes.h"

namespace stepbench {
namespace {

Value value_of(const std::optional<double>& number) { return number ? Value(*number) : Value(); }

std::string_view spread_of(const CaseRow& row) {
  switch (row.spread) {
    case Spread::kOverLaunches:
      return "interval_95";
    case Spread::kRange:
      return "range";
    case Spread::kWithinLaunch:
      return "within_one_launch";
    case Spread::kNone:
      break;
  }
  return "none";
}

std::string outcome_of(const CaseRow& row) {
  if (!row.measured.empty()) return "measured";
  if (!row.failed.empty()) return "failed";
  return row.skipped.empty() ? "unfinished" : "skipped";
}

std::string first_reason(const CaseRow& row) {
  if (!row.failed.empty()) return reason_of(*row.failed.front());
  return row.skipped.empty() ? "" : reason_of(*row.skipped.front());
}

// Every column of CSV and JSON, declared once.
struct ExportColumn {
  std::string_view name;
  Value (*get)(const CaseRow&);
};

std::span<const ExportColumn> export_columns() {
  static const ExportColumn columns[] = {
      {"outcome", [](const CaseRow& row) { return Value(outcome_of(row)); }},
      {"reason", [](const CaseRow& row) { return Value(first_reason(row)); }},
      {"smoke", [](const CaseRow& row) { return Value(row.smoke); }},
      {"launches",
       [](const CaseRow& row) { return Value(static_cast<std::int64_t>(row.measured.size())); }},
      {"failed_launches",
       [](const CaseRow& row) { return Value(static_cast<std::int64_t>(row.failed.size())); }},
      {"step_median_ns", [](const CaseRow& row) { return value_of(row.step_ns); }},
      {"spread", [](const CaseRow& row) { return Value(std::string(spread_of(row))); }},
      {"low_ns",
       [](const CaseRow& row) {
         return row.spread == Spread::kNone ? Value() : Value(row.interval_ns.low);
       }},
      {"high_ns",
       [](const CaseRow& row) {
         return row.spread == Spread::kNone ? Value() : Value(row.interval_ns.high);
       }},
      {"data_wait_share", [](const CaseRow& row) { return value_of(row.data_wait_share); }},
      {"samples_per_s", [](const CaseRow& row) { return value_of(row.samples_per_s); }},
      {"tokens_per_s", [](const CaseRow& row) { return value_of(row.tokens_per_s); }},
      {"epoch_gap_ns", [](const CaseRow& row) { return value_of(row.epoch_gap_ns); }},
  };
  return columns;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_value(const Value& value) { return is_null(value) ? "" : csv_cell(to_text(value)); }

std::vector<std::string> option_names(const std::vector<CaseRow>& rows) {
  std::set<std::string> names;
  for (const CaseRow& row : rows) {
    for (const auto& [name, value] : row.options) names.insert(name);
  }
  return {names.begin(), names.end()};
}

}  // namespace

std::string csv_of(const Results& results) {
  const std::vector<CaseRow> rows = case_rows(results);
  const std::vector<std::string> options = option_names(rows);
  std::string text = "case_id,arm,pass,workload";
  for (const std::string& option : options) text += ',' + csv_cell(option);
  for (const ExportColumn& column : export_columns()) text += ',' + std::string(column.name);
  text += '\n';
  for (const CaseRow& row : rows) {
    text += row.case_id + ',' + csv_cell(row.arm) + ',' + std::string(name_of(row.pass)) + ',' +
            csv_cell(row.workload);
    for (const std::string& option : options) {
      const auto found = row.options.find(option);
      text += ',' + (found == row.options.end() ? "" : csv_value(found->second));
    }
    for (const ExportColumn& column : export_columns()) text += ',' + csv_value(column.get(row));
    text += '\n';
  }
  return text;
}

std::string json_of(const Results& results) {
  const std::vector<CaseRow> rows = case_rows(results);
  JsonText json;
  json.open_object().open_array("cases");
  for (const CaseRow& row : rows) {
    json.open_object().text("case_id", row.case_id).text("arm", row.arm);
    json.text("pass", name_of(row.pass)).text("workload", row.workload);
    json.open_object("options");
    for (const auto& [name, value] : row.options) json.value(name, value);
    json.close_object();
    for (const ExportColumn& column : export_columns()) json.value(column.name, column.get(row));
    json.close_object();
  }
  json.close_array().texts("notes", notes_of(rows, results)).close_object();
  return json.take() + '\n';
}

}  // namespace stepbench
