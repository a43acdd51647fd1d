// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/pivot.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/base/error.h"
#include "harness/estimate/ranking.h"
#include "harness/estimate/row_values.h"
#include "harness/report/internal/answer.h"
#include "harness/report/internal/estimate_text.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr const char* kPivot = "--pivot";

// Throws ConfigError naming the options that distinguish two rows of one cell.
[[noreturn]] void refuse_shared_cell(const estimate::CaseRow& a, const estimate::CaseRow& b,
                                     const std::vector<std::string>& axes,
                                     const estimate::RowNames& names) {
  std::vector<std::string> differ;
  for (const std::string& name : names.varying()) {
    const bool axis = std::find(axes.begin(), axes.end(), name) != axes.end();
    if (!axis && estimate::row_value(a, name) != estimate::row_value(b, name)) {
      differ.push_back(estimate::short_name(name, names.varying()));
    }
  }
  if (differ.empty()) {
    throw ConfigError(kPivot, a.run_id != b.run_id
                                  ? "several runs are shown; a pivot takes one"
                                  : "cases differ in their arm or pass; a pivot takes one of each");
  }
  throw ConfigError(kPivot, "cases also differ in " + text::join(differ) +
                                ": keep one value, as in `" + "--filter " + differ.front() + '=' +
                                to_text(estimate::row_value(
                                    a, estimate::full_name(differ.front(), {&a, 1}, kPivot))) +
                                "`");
}

std::string without_numbers(const estimate::CaseRow& row) {
  if (!row.failed.empty()) return "failed";
  return row.skipped.empty() ? "unfinished" : "skipped";
}

std::string metric_name(const std::vector<estimate::CaseRow>& rows, const std::string& asked) {
  if (!asked.empty()) return estimate::full_name(asked, rows, "--columns");
  return std::string(name_of(estimate::judged_by(rows).value_or(estimate::Judged::kStep)));
}

text::TimeUnit unit_of(const std::vector<estimate::CaseRow>& rows, const std::string& metric) {
  std::vector<double> times;
  for (const estimate::CaseRow& row : rows) {
    if (const auto value = number_of(estimate::row_value(row, metric))) times.push_back(*value);
  }
  return metric.ends_with("_ns") ? text::unit_for(times) : text::TimeUnit{};
}

}  // namespace

std::vector<Value> values_in_rows(const std::vector<estimate::CaseRow>& rows,
                                  const std::string& full_name, bool in_given_order) {
  std::vector<Value> values;
  bool numbers = true;
  for (const estimate::CaseRow& row : rows) {
    Value value = estimate::row_value(row, full_name);
    numbers = numbers && number_of(value);
    if (std::find(values.begin(), values.end(), value) == values.end()) {
      values.push_back(std::move(value));
    }
  }
  if (numbers && !in_given_order) {
    std::stable_sort(values.begin(), values.end(),
                     [](const Value& a, const Value& b) { return *number_of(a) < *number_of(b); });
  }
  return values;
}

Pivot pivot(const std::vector<estimate::CaseRow>& rows, const record::Results& results,
            const std::vector<std::string>& by, const std::string& metric, bool plain) {
  if (by.size() != 2)
    throw ConfigError(kPivot, "expected two options, as in num_workers,batch_size");
  std::vector<std::string> axes;
  for (const std::string& name : by) {
    axes.push_back(estimate::full_name(name, rows, kPivot));
    if (!estimate::is_option(rows, axes.back()))
      throw ConfigError(kPivot, "unknown option '" + name + "'");
  }
  if (axes[0] == axes[1]) throw ConfigError(kPivot, "expected two different options");
  const estimate::RowNames names(rows, results);
  const std::string number = metric_name(rows, metric);
  const text::TimeUnit unit = unit_of(rows, number);
  const std::vector<Value> down = values_in_rows(rows, axes[0], false);
  const std::vector<Value> across = values_in_rows(rows, axes[1], false);
  const auto place = [](const std::vector<Value>& values, const Value& value) {
    return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) -
                                    values.begin());
  };
  std::map<std::pair<std::size_t, std::size_t>, const estimate::CaseRow*> cells;
  for (const estimate::CaseRow& row : rows) {
    const std::pair at(place(down, estimate::row_value(row, axes[0])),
                       place(across, estimate::row_value(row, axes[1])));
    const auto [there, is_new] = cells.try_emplace(at, &row);
    if (!is_new) refuse_shared_cell(*there->second, row, axes, names);
  }
  const auto ranking = estimate::rank(rows);
  const bool marked = !plain && ranking && number == name_of(ranking->by);
  const std::string head = plain ? number : head_for(number, unit, names);
  const std::string first = estimate::short_name(axes[0], names.varying());
  const std::string second = estimate::short_name(axes[1], names.varying());
  Pivot made{.title = head + " by " + first + " and " + second, .grid = {}};
  made.grid.columns.push_back({.head = first});
  for (const Value& value : across) {
    made.grid.columns.push_back({.head = second + '=' + to_text(value)});
  }
  const bool stars =
      marked && std::any_of(rows.begin(), rows.end(),
                            [](const estimate::CaseRow& row) { return row.is_best; });
  const auto text_of_cell = [&](const estimate::CaseRow& row) -> std::string {
    if (!row.step_ns) return plain ? "" : without_numbers(row);
    if (plain) return to_text(estimate::row_value(row, number));
    return text_for(row, number, unit, results.columns) + (!stars ? ""
                                                           : row.is_best
                                                               ? std::string(" ") + kBestMark
                                                               : "  ");
  };
  for (std::size_t i = 0; i < down.size(); ++i) {
    document::TableRow& line = made.grid.rows.emplace_back();
    line.cells.push_back(to_text(down[i]));
    for (std::size_t j = 0; j < across.size(); ++j) {
      const auto found = cells.find({i, j});
      line.cells.push_back(found == cells.end() ? (plain ? "" : "-")
                                                : text_of_cell(*found->second));
    }
  }
  return made;
}

}  // namespace stepbench::report
