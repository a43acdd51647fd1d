// SPDX-License-Identifier: Apache-2.0
#include "harness/report/row_values.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/estimate/columns.h"
#include "harness/report/estimate_text.h"
#include "harness/stats/order.h"
#include "harness/text/names.h"

namespace stepbench::report {
namespace {

std::string lower(std::string_view text) {
  std::string folded(text);
  std::transform(folded.begin(), folded.end(), folded.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return folded;
}

const estimate::EstimateColumn* column_named(std::string_view name) {
  for (const auto columns : {estimate::key_columns(), estimate::estimate_columns(),
                             estimate::request_columns(), estimate::noise_columns()}) {
    for (const estimate::EstimateColumn& column : columns) {
      if (column.metric.name == name) return &column;
    }
  }
  return nullptr;
}

// The column with this head in a table; empty if there is none.
std::string column_headed(const std::string& head) {
  for (const auto columns : {estimate::key_columns(), estimate::estimate_columns(),
                             estimate::request_columns(), estimate::noise_columns()}) {
    for (const estimate::EstimateColumn& column : columns) {
      if (!column.header.empty() && text::is_same_head(column.header, head)) {
        return column.metric.name;
      }
    }
  }
  return {};
}

// The names of a map, by one walk over both: most are there already.
template <typename Named>
void add_names(const Named& named, std::set<std::string>& names) {
  auto at = names.begin();
  for (const auto& [name, value] : named) {
    int order = -1;
    while (at != names.end() && (order = at->compare(name)) < 0) ++at;
    if (order != 0) at = names.insert(at, name);
  }
}

struct NamedPhases {
  std::vector<estimate::PhaseEstimate> estimate::CaseRow::*phases;
  std::string_view ending;  // as columns of samples end
};
constexpr NamedPhases kPhases[] = {{&estimate::CaseRow::phases, "_ns"},
                                   {&estimate::CaseRow::device_phases, "_device_ns"},
                                   {&estimate::CaseRow::side_phases, "_side_device_ns"}};

// The value under `name` in `fields`, where it begins with `prefix`.
Value prefixed_value(const Fields& fields, std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return {};
  const auto found = fields.find(name.substr(prefix.size()));
  return found == fields.end() ? Value() : found->second;
}

Value of_surroundings(const estimate::CaseRow& row, std::string_view name) {
  if (row.run != nullptr && name.starts_with(kLabelPrefix)) {
    return prefixed_value(row.run->labels, kLabelPrefix, name);
  }
  if (row.worker == nullptr) return {};
  return prefixed_value(row.worker->environment, kEnvironmentPrefix, name);
}

Value of_launches(const estimate::CaseRow& row, std::string_view name) {
  for (const auto& [phases, ending] : kPhases) {
    if (!name.ends_with(ending)) continue;
    const std::string_view phase = name.substr(0, name.size() - ending.size());
    for (const estimate::PhaseEstimate& each : row.*phases) {
      if (each.name == phase) return each.ns;
    }
  }
  if (name.starts_with(kLabelPrefix) || name.starts_with(kEnvironmentPrefix)) {
    return of_surroundings(row, name);
  }
  if (name.starts_with(kMetricPrefix)) name.remove_prefix(kMetricPrefix.size());
  std::vector<double> values;
  for (const estimate::MeasuredLaunch& each : row.measured) {
    const auto& metrics = each.launch->row.report.metrics;
    const auto found = metrics.find(name);
    if (found != metrics.end() && found->second) values.push_back(*found->second);
  }
  return values.empty() ? Value() : Value(stats::median(values));
}

// Numbers before texts, each by size; null after everything.
bool comes_before(const Value& a, const Value& b, bool largest_first) {
  if (is_null(a) || is_null(b)) return !is_null(a) && is_null(b);
  const auto x = number_of(a);
  const auto y = number_of(b);
  if (x.has_value() != y.has_value()) return x.has_value();
  if (x) return largest_first ? *y < *x : *x < *y;
  return largest_first ? to_text(b) < to_text(a) : to_text(a) < to_text(b);
}

}  // namespace

std::vector<std::string> record_names(std::span<const estimate::CaseRow> rows) {
  std::set<std::string> options;
  const OptionValues* before = nullptr;
  for (const estimate::CaseRow& row : rows) {
    if (before == nullptr || !row.options().has_names_of(*before)) {
      add_names(row.options(), options);
    }
    before = &row.options();
  }
  // `workload` and `launches` are options, and columns of what was measured.
  std::erase_if(options, [](const std::string& name) { return column_named(name) != nullptr; });
  std::vector<std::string> names;
  for (const estimate::EstimateColumn& column : estimate::key_columns())
    names.emplace_back(column.metric.name);
  names.insert(names.end(), options.begin(), options.end());
  for (const estimate::EstimateColumn& column : estimate::estimate_columns())
    names.emplace_back(column.metric.name);
  return names;
}

DetailNames detail_names(std::span<const estimate::CaseRow> rows) {
  std::set<std::string> phases;
  std::set<std::string> metrics;
  std::set<std::string> labels;
  std::set<std::string> environment;
  const record::RunRow* run = nullptr;
  const record::WorkerRow* worker = nullptr;
  for (const estimate::CaseRow& row : rows) {
    for (const auto& [of_row, ending] : kPhases) {
      for (const estimate::PhaseEstimate& phase : row.*of_row)
        phases.insert(phase.name + std::string(ending));
    }
    for (const estimate::MeasuredLaunch& each : row.measured) {
      add_names(each.launch->row.report.metrics, metrics);
    }
    if (row.run != nullptr && std::exchange(run, row.run) != row.run) {
      for (const auto& [name, value] : row.run->labels) labels.insert(name);
    }
    if (row.worker != nullptr && std::exchange(worker, row.worker) != row.worker) {
      for (const auto& [name, value] : row.worker->environment) environment.insert(name);
    }
  }
  DetailNames names;
  for (const estimate::EstimateColumn& column : estimate::request_columns()) {
    if (std::any_of(rows.begin(), rows.end(), column.shown_for))
      names.requests.emplace_back(column.metric.name);
  }
  names.phases.assign(phases.begin(), phases.end());
  for (const std::string& name : metrics) {
    const bool taken = column_named(name) != nullptr || phases.contains(name);
    names.metrics.push_back(taken ? std::string(kMetricPrefix) + name : name);
  }
  for (const std::string& name : labels) names.labels.push_back(std::string(kLabelPrefix) + name);
  for (const std::string& name : environment) {
    names.environment.push_back(std::string(kEnvironmentPrefix) + name);
  }
  return names;
}

std::string full_name(const std::string& name, std::span<const estimate::CaseRow> rows,
                      const char* where) {
  std::vector<std::string> known = record_names(rows);
  // `step` is the column that is shown, not margin.step.
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    if (std::string column = column_headed(name); !column.empty()) return column;
  }
  for (const estimate::EstimateColumn& column : estimate::noise_columns())
    known.emplace_back(column.metric.name);
  DetailNames details = detail_names(rows);
  for (auto* names : {&details.requests, &details.phases, &details.metrics, &details.labels,
                      &details.environment}) {
    std::move(names->begin(), names->end(), std::back_inserter(known));
  }
  try {
    return text::resolve_name(name, known, "no column or option");
  } catch (const Error& error) {
    throw ConfigError(where, error.what());
  }
}

RowGetter row_getter(const std::string& full_name) {
  if (const estimate::EstimateColumn* column = column_named(full_name)) return column->get;
  return [full_name](const estimate::CaseRow& row) -> Value {
    const auto found = row.options().find(full_name);
    return found == row.options().end() ? of_launches(row, full_name) : found->second;
  };
}

Value row_value(const estimate::CaseRow& row, const std::string& full_name) {
  return row_getter(full_name)(row);
}

bool is_option(std::span<const estimate::CaseRow> rows, const std::string& full_name) {
  return column_named(full_name) == nullptr &&
         std::any_of(rows.begin(), rows.end(), [&](const estimate::CaseRow& row) {
           return row.options().contains(full_name);
         });
}

std::string head_for(const std::string& full_name, text::TimeUnit unit,
                     const estimate::RowNames& names) {
  constexpr std::string_view kNs = "_ns";
  const estimate::EstimateColumn* column = column_named(full_name);
  if (column != nullptr && !column->header.empty()) return header_text(*column, unit);
  const bool time = column != nullptr && estimate::is_time(*column);
  if (!time) return estimate::short_name(full_name, names.varying());
  return full_name.substr(0, full_name.size() - kNs.size()) + " [" + std::string(unit.name) + ']';
}

std::string text_for(const estimate::CaseRow& row, const std::string& full_name,
                     text::TimeUnit unit, std::span<const Metric> definitions) {
  constexpr const char* kNothing = "-";
  if (const estimate::EstimateColumn* column = column_named(full_name)) {
    return estimate_text(*column, row, unit, kNothing);
  }
  const Value value = row_value(row, full_name);
  const auto number = number_of(value);
  if (is_null(value)) return kNothing;
  if (!number || row.options().contains(full_name)) return to_text(value);
  const auto found = std::find_if(definitions.begin(), definitions.end(),
                                  [&](const Metric& metric) { return metric.name == full_name; });
  return quantity_text(*number, full_name, found == definitions.end() ? "" : found->unit);
}

void sort_rows(std::vector<estimate::CaseRow>& rows, const std::string& by) {
  if (by.empty()) return;
  const bool largest_first = by.starts_with('-');
  const std::string name = full_name(largest_first ? by.substr(1) : by, rows, "--sort");
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const estimate::CaseRow& a, const estimate::CaseRow& b) {
                     return comes_before(row_value(a, name), row_value(b, name), largest_first);
                   });
}

bool is_written(const Value& value, const std::string& text) {
  if (to_text(value) == text) return true;
  if (std::holds_alternative<bool>(value)) return to_text(value) == lower(text);
  const auto number = number_of(value);
  double written = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), written);
  return number && error == std::errc{} && end == text.data() + text.size() && written == *number;
}

}  // namespace stepbench::report
