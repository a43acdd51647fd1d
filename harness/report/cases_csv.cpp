// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/base/value.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/metric_medians.h"
#include "harness/estimate/row_values.h"
#include "harness/report/export.h"
#include "harness/text/csv.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

void append_cell(std::string& text, const Value& value) {
  if (const auto* words = std::get_if<std::string>(&value)) {
    text += text::csv_cell(*words);
  } else if (!is_null(value)) {
    append_text(text, value);  // numbers and booleans need no quotes
  }
}

// Caches cells shared by many rows: properties of a run or a worker.
class SharedCells {
 public:
  explicit SharedCells(std::vector<std::string> names) : names_(std::move(names)) {}

  const std::string& text(const void* owner, const estimate::CaseRow& row) {
    const auto [found, is_new] = texts_.try_emplace(owner);
    if (is_new) {
      for (const std::string& name : names_)
        append_cell(found->second += ',', estimate::row_value(row, name));
    }
    return found->second;
  }

 private:
  std::vector<std::string> names_;
  std::map<const void*, std::string> texts_;
};

// Appends a cell for each of `names`, in one walk over both: `names` and `named` are sorted by
// name.
template <typename Named>
void append_named(const std::vector<std::string>& names, const Named& named, std::string& text) {
  auto at = named.begin();
  for (const std::string& name : names) {
    text += ',';
    for (; at != named.end(); ++at) {
      const auto& [known, value] = *at;
      if (known < name) continue;
      if (known == name) append_cell(text, value);
      break;
    }
  }
}

// Names of the metrics as in the launches: columns have a prefix if a name is taken.
std::vector<std::string> metrics_of_columns(std::vector<std::string> names) {
  for (std::string& name : names) {
    if (name.starts_with(estimate::kMetricPrefix)) name.erase(0, estimate::kMetricPrefix.size());
  }
  return names;
}

void end_line(std::string& text, const text::TextSink& sink) {
  text += '\n';
  if (text.size() < text::kTextPiece) return;
  sink(text);
  text.clear();
}

void append_cells(const estimate::CaseRow& row, std::span<const estimate::EstimateColumn> columns,
                  std::string& text) {
  for (const estimate::EstimateColumn& column : columns) append_cell(text += ',', column.get(row));
}

// Writes all columns. For speed, cells shared by many rows and sorted members are not looked up one
// by one.
void write_whole_csv(const std::vector<estimate::CaseRow>& rows, const text::TextSink& sink) {
  estimate::DetailNames details = estimate::detail_names(rows);
  std::vector<estimate::CaseValue> times;
  for (const auto* names : {&details.requests, &details.phases}) {
    for (const std::string& name : *names) times.push_back(estimate::row_getter(name));
  }
  std::vector<std::string> heads = estimate::record_names(rows);
  const auto options_begin = heads.begin() + std::ssize(estimate::key_columns());
  const std::vector<std::string> options(options_begin,
                                         heads.end() - std::ssize(estimate::estimate_columns()));
  for (const auto* more : {&details.requests, &details.phases, &details.metrics, &details.labels,
                           &details.environment}) {
    heads.insert(heads.end(), more->begin(), more->end());
  }
  const std::vector<std::string> metrics = metrics_of_columns(details.metrics);
  SharedCells labels(std::move(details.labels));
  SharedCells environment(std::move(details.environment));
  std::string text = text::join(heads, ",", text::csv_cell) + '\n';
  for (const estimate::CaseRow& row : rows) {
    const std::size_t begin = text.size();
    append_cells(row, estimate::key_columns(), text);
    text.erase(begin, 1);  // the leading comma
    append_named(options, row.options(), text);
    append_cells(row, estimate::estimate_columns(), text);
    for (const estimate::CaseValue& get : times) append_cell(text += ',', get(row));
    append_named(metrics, estimate::metric_medians(row), text);
    text += labels.text(row.run, row);
    text += environment.text(row.worker, row);
    end_line(text, sink);
  }
  sink(text);
}

}  // namespace

void write_csv(const std::vector<estimate::CaseRow>& rows, const std::vector<std::string>& select,
               const text::TextSink& sink) {
  if (select.empty()) return write_whole_csv(rows, sink);
  std::vector<std::string> names;
  std::vector<estimate::CaseValue> getters;
  for (const std::string& name : select) {
    names.push_back(estimate::full_name(name, rows, "--columns"));
    getters.push_back(estimate::row_getter(names.back()));
  }
  std::string text = text::join(names, ",", text::csv_cell) + '\n';
  for (const estimate::CaseRow& row : rows) {
    for (std::size_t i = 0; i < getters.size(); ++i) {
      if (i > 0) text += ',';
      append_cell(text, getters[i](row));
    }
    end_line(text, sink);
  }
  sink(text);
}

}  // namespace stepbench::report
