// SPDX-License-Identifier: Apache-2.0
#include "harness/report/sweep_plot.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/document/render_text.h"
#include "harness/document/table.h"
#include "harness/estimate/row_values.h"
#include "harness/report/estimate_text.h"
#include "harness/report/pivot.h"
#include "harness/text/printable.h"
#include "harness/text/utf8.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kLeastBar = 20;
constexpr std::size_t kLongestBar = 100;
constexpr std::size_t kLeastTickGap = 6;

struct Drawn {
  double value = 0;
  stats::Interval interval = {};
};

// The number that a picture of one column shows, by its full name; empty for what cases are judged
// by.
std::string column_of_plot(const TableFacts& facts, const TableStyle& style) {
  if (style.select.empty()) return {};
  if (style.select.size() > 1) {
    throw ConfigError("--columns", "a picture shows one number: name one column");
  }
  std::string name = estimate::full_name(style.select.front(), facts.rows, "--columns");
  const estimate::CaseValue get = estimate::row_getter(name);
  const bool numbers =
      std::any_of(facts.rows.begin(), facts.rows.end(),
                  [&](const estimate::CaseRow& row) { return number_of(get(row)); });
  if (!numbers)
    throw ConfigError("--columns", "'" + style.select.front() + "' has no number in these rows");
  return name;
}

std::vector<std::optional<Drawn>> drawn_values(const TableFacts& facts, const std::string& column) {
  std::vector<std::optional<Drawn>> values;
  const estimate::CaseValue get =
      column.empty() ? estimate::CaseValue() : estimate::row_getter(column);
  for (const estimate::CaseRow& row : facts.rows) {
    std::optional<Drawn>& drawn = values.emplace_back();
    if (!row.step_ns) continue;
    if (column.empty()) {
      if (const auto shown = shown_value(row, facts)) {
        const bool known = shown->spread != estimate::Spread::kNone;
        drawn = {shown->centre,
                 known ? shown->interval : stats::Interval{shown->centre, shown->centre}};
      }
    } else if (const auto number = number_of(get(row))) {
      drawn = {*number, {*number, *number}};
    }
    if (drawn && !std::isfinite(drawn->value)) drawn.reset();
  }
  return values;
}

// 1, 2 or 5 times a power of ten, about `wanted`.
double round_step(double wanted) {
  const double least = 0.8 * wanted;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

std::string tick_text(double tick, double step) {
  if (step >= 1) return text::with_separators(std::llround(tick));
  return text::short_number(tick, static_cast<int>(std::ceil(-std::log10(step))));
}

// "|0        |20       |40", each text behind the mark of its value. `most`: in the shown unit.
std::string axis_text(double most, std::size_t cells) {
  const std::size_t room = tick_text(most, most).size() + kLeastTickGap;
  const double step = round_step(most / std::max(1.0, static_cast<double>(cells / room)));
  std::string text;
  for (double tick = 0; tick <= most; tick += step) {
    const auto at = static_cast<std::size_t>(tick / most * static_cast<double>(cells));
    const std::string label = "|" + tick_text(tick, step);
    if (at < text.size() || at + label.size() > cells) continue;
    text.append(at - text.size(), ' ');
    text += label;
  }
  return text;
}

// Rows in the order in which they are drawn, and where a group begins.
struct Order {
  std::vector<std::size_t> rows;
  std::vector<bool> begins;
};

template <typename Key>
void group(Order& order, const Key& key) {
  for (std::size_t i = 1; i < order.rows.size(); ++i) {
    order.begins[i] = key(order.rows[i]) != key(order.rows[i - 1]);
  }
  const auto groups =
      static_cast<std::size_t>(std::count(order.begins.begin(), order.begins.end(), true)) + 1;
  if (groups == order.rows.size()) order.begins.assign(order.rows.size(), false);
}

Order order_of(const TableFacts& facts, const TableStyle& style) {
  Order order{.rows = std::vector<std::size_t>(facts.rows.size()),
              .begins = std::vector<bool>(facts.rows.size(), false)};
  std::iota(order.rows.begin(), order.rows.end(), std::size_t{0});
  std::vector<std::string> by;
  for (const std::string& name : style.pivot) {
    by.push_back(estimate::full_name(name, facts.rows, "--pivot"));
  }
  const std::vector<std::string>& varying = facts.names.varying();
  if (by.empty() && style.sort.empty() && varying.size() > 1) by = {varying.front()};
  if (by.empty()) return order;
  std::vector<std::vector<std::size_t>> places(facts.rows.size());
  for (const std::string& name : by) {
    const std::vector<Value> values = values_in_rows(facts.rows, name, style.pivot.empty());
    for (std::size_t i = 0; i < facts.rows.size(); ++i) {
      const auto found =
          std::find(values.begin(), values.end(), estimate::row_value(facts.rows[i], name));
      places[i].push_back(static_cast<std::size_t>(found - values.begin()));
    }
  }
  std::stable_sort(order.rows.begin(), order.rows.end(),
                   [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
  group(order, [&](std::size_t row) { return places[row].front(); });
  return order;
}

std::size_t grid_width(const document::Table& grid) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    std::size_t widest = text::width(text::printable(grid.columns[i].head));
    for (const document::TableRow& row : grid.rows) {
      if (i < row.cells.size())
        widest = std::max(widest, text::width(text::printable(row.cells[i].text)));
    }
    total += widest + 2;
  }
  return total;
}

std::string heading_of(const TableFacts& facts, const std::string& column, text::TimeUnit unit,
                       bool intervals) {
  if (!column.empty()) return head_for(column, unit, facts.names) + ", bars from 0";
  const estimate::Judged by = judged(facts);
  std::string text = by == estimate::Judged::kLatency       ? "latency p50"
                     : by == estimate::Judged::kSamplesRate ? "samples/s"
                     : by == estimate::Judged::kTokensRate  ? "tokens/s"
                                                            : "step";
  text += std::string(", bars from 0, ") + (estimate::is_rate(by) ? "longer" : "shorter") +
          " is better";
  if (intervals) text += "; ├─┼─┤: " + facts.spread_head;
  return text;
}

}  // namespace

std::string bar_with_interval(double value, const stats::Interval& interval, double most,
                              std::size_t cells) {
  if (!(most > 0) || cells == 0) return {};
  const auto cell_of = [&](double at) {
    const double share = std::isfinite(at) ? std::clamp(at / most, 0.0, 1.0) : 0.0;
    return std::min(static_cast<std::size_t>(share * static_cast<double>(cells)), cells - 1);
  };
  const std::size_t low = cell_of(std::min(interval.low, value));
  const std::size_t high = cell_of(std::max(interval.high, value));
  if (low == high) {
    const std::string plain = document::bar(value / most, cells);
    return plain.empty() && value > 0 ? "▏" : plain;
  }
  std::string drawn;
  for (std::size_t i = 0; i < low; ++i) drawn += "█";
  const std::size_t centre = cell_of(value);
  for (std::size_t i = low; i <= high; ++i) {
    drawn += i == low ? "├" : i == high ? "┤" : i == centre ? "┼" : "─";
  }
  return drawn;
}

SweepPlot sweep_plot(const TableFacts& facts, const TableStyle& style,
                     std::size_t terminal_columns) {
  const std::string column = column_of_plot(facts, style);
  // Its checks hold for the picture too.
  if (!style.pivot.empty()) (void)pivot(facts.rows, facts.results, style.pivot, column, true);
  const std::vector<std::optional<Drawn>> values = drawn_values(facts, column);
  double most = 0;
  bool intervals = false;
  std::vector<double> numbers;
  for (const auto& each : values) {
    if (!each) continue;
    numbers.push_back(each->value);
    const double end = std::max(each->value, each->interval.high);
    if (std::isfinite(end)) most = std::max(most, end);
    intervals = intervals || each->interval.low < each->interval.high;
  }
  const bool time = column.empty() ? !estimate::is_rate(judged(facts)) : column.ends_with("_ns");
  const text::TimeUnit unit = !time            ? text::TimeUnit{}
                              : column.empty() ? facts.unit
                                               : text::unit_for(numbers);
  OneNumberGrid made = one_number_grid(facts, column);
  const std::size_t others = grid_width(made.grid);
  const std::size_t cells =
      std::clamp(terminal_columns - std::min(terminal_columns, others), kLeastBar, kLongestBar);
  const auto at = static_cast<std::ptrdiff_t>(made.case_columns);
  SweepPlot plot{.heading = heading_of(facts, column, unit, intervals), .grid = {}};
  plot.grid.columns = std::move(made.grid.columns);
  plot.grid.columns.insert(
      plot.grid.columns.begin() + at,
      {.head = most > 0 ? axis_text(most / unit.ns, cells) : "", .left = true});
  const Order order = order_of(facts, style);
  for (std::size_t i = 0; i < order.rows.size(); ++i) {
    const std::size_t row = order.rows[i];
    if (order.begins[i]) plot.grid.rows.emplace_back();
    document::TableRow& line = plot.grid.rows.emplace_back(std::move(made.grid.rows[row]));
    if (line.cells.size() <= made.case_columns) continue;
    const auto& value = values[row];
    line.cells.insert(line.cells.begin() + at,
                      value ? bar_with_interval(value->value, value->interval, most, cells) : "");
  }
  return plot;
}

}  // namespace stepbench::report
