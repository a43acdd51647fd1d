// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/export.h"
#include "harness/report/row_values.h"
#include "harness/stats/order.h"
#include "harness/text/csv.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

std::string csv_value(const Value& value) { return is_null(value) ? "" : csv_cell(to_text(value)); }

// Cells that many rows share, made once: of what a run or a worker says of itself.
class SharedCells {
 public:
  explicit SharedCells(std::vector<std::string> names) : names_(std::move(names)) {}

  const std::string& text(const void* owner, const CaseRow& row) {
    const auto [found, is_new] = texts_.try_emplace(owner);
    if (is_new) {
      for (const std::string& name : names_) found->second += ',' + csv_value(row_value(row, name));
    }
    return found->second;
  }

 private:
  std::vector<std::string> names_;
  std::map<const void*, std::string> texts_;
};

// Cells of metrics, by one walk over each launch's: names of both are in order.
class MetricCells {
 public:
  explicit MetricCells(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const bool renamed = name.starts_with(kMetricPrefix);
      columns_.emplace(renamed ? name.substr(kMetricPrefix.size()) : name, columns_.size());
    }
    values_.resize(names.size());
  }

  void append(const CaseRow& row, std::string& text) {
    for (std::vector<double>& values : values_) values.clear();
    for (const MeasuredLaunch& each : row.measured) {
      auto column = columns_.begin();
      for (const auto& [name, value] : each.launch->row.report.metrics) {
        while (column != columns_.end() && column->first < name) ++column;
        if (column == columns_.end()) break;
        if (column->first == name && value) values_[column->second].push_back(*value);
      }
    }
    for (const std::vector<double>& values : values_) {
      text += ',';
      if (!values.empty()) text += to_text(Value(median(values)));
    }
  }

 private:
  std::map<std::string, std::size_t> columns_;
  std::vector<std::vector<double>> values_;
};

// All columns: what is the same for many rows, or stands in order in them, is not looked up cell by
// cell.
std::string whole_csv(const std::vector<CaseRow>& rows) {
  std::vector<std::string> heads = record_names(rows);
  DetailNames details = detail_names(rows);
  heads.insert(heads.end(), details.phases.begin(), details.phases.end());
  std::vector<RowGetter> getters;
  for (const std::string& name : heads) getters.push_back(row_getter(name));
  for (const auto* more : {&details.metrics, &details.labels, &details.environment}) {
    heads.insert(heads.end(), more->begin(), more->end());
  }
  MetricCells metrics(details.metrics);
  SharedCells labels(std::move(details.labels));
  SharedCells environment(std::move(details.environment));
  std::string text = join(heads, ",", csv_cell) + '\n';
  for (const CaseRow& row : rows) {
    text += join(getters, ",", [&](const RowGetter& get) { return csv_value(get(row)); });
    metrics.append(row, text);
    text += labels.text(row.run, row);
    text += environment.text(row.worker, row);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string csv_of(const std::vector<CaseRow>& rows, const std::vector<std::string>& select) {
  if (select.empty()) return whole_csv(rows);
  std::vector<std::string> names;
  for (const std::string& name : select) names.push_back(full_name(name, rows, "--columns"));
  std::string text = join(names, ",", csv_cell) + '\n';
  for (const CaseRow& row : rows) {
    const auto cell = [&](const std::string& name) { return csv_value(row_value(row, name)); };
    text += join(names, ",", cell) + '\n';
  }
  return text;
}

}  // namespace stepbench
