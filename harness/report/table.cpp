// SPDX-License-Identifier: Apache-2.0
#include "harness/report/table.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/record/encode.h"
#include "harness/report/estimate_text.h"
#include "harness/report/export.h"
#include "harness/report/findings.h"
#include "harness/report/notes.h"
#include "harness/text/grid.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

constexpr const char* kNothing = "-";

// What all cells of one table share.
struct TableFacts {
  std::vector<CaseRow> rows;
  std::vector<CaseRow> profiled;  // rows of profiling passes beside a timed row of their case
  std::vector<std::string> varying;
  TimeUnit unit;
  std::string spread_head;  // of most rows; "" when no row has a spread
  std::set<StepClock> clocks = {};
  std::set<bool> latencies = {};  // which rows are about a latency: all, none, or both kinds
};

TableFacts facts_of(const Results& results, const std::string& sort) {
  TableFacts facts{
      .rows = case_rows(results), .profiled = {}, .varying = {}, .unit = {}, .spread_head = {}};
  facts.profiled = take_profiled(facts.rows);
  sort_rows(facts.rows, sort);
  facts.varying = varying_options(facts.rows, results);
  std::vector<double> times;
  std::map<std::string, std::size_t> spreads;
  for (const CaseRow& row : facts.rows) {
    if (!row.headline_ns()) continue;
    times.push_back(*row.headline_ns());
    facts.clocks.insert(row.clock);
    facts.latencies.insert(row.latency_ns.has_value());
    if (row.spread != Spread::kNone) ++spreads[spread_name(row)];
  }
  facts.unit = unit_for(times);
  std::size_t most = 0;
  for (const auto& [name, count] : spreads) {
    if (count > most) facts.spread_head = name;
    most = std::max(most, count);
  }
  return facts;
}

std::string option_cell(const CaseRow& row, const std::string& name) {
  const auto found = row.options.find(name);
  if (found == row.options.end() || is_null(found->second)) return kNothing;
  return to_text(found->second);
}

std::string spread_cell(const CaseRow& row, const TableFacts& facts) {
  if (row.spread == Spread::kNone) return kNothing;
  std::string cell =
      interval_text(row.interval_ns.low / facts.unit.ns, row.interval_ns.high / facts.unit.ns);
  if (spread_name(row) == facts.spread_head) return cell;
  const std::string launches = "n=" + std::to_string(row.measured.size());
  return (row.spread == Spread::kWithinLaunch ? "within launch" : launches) + ' ' + cell;
}

// What is said of a row that has numbers.
std::string marks(const CaseRow& row, const TableFacts& facts) {
  std::vector<std::string> all;
  if (row.smoke) all.emplace_back("smoke");
  if (row.pass != Pass::kTiming) all.emplace_back(name_of(row.pass));
  if (row.latency_ns && facts.latencies.size() > 1) all.emplace_back("latency p50");
  if (facts.clocks.size() > 1) all.push_back("clock: " + std::string(name_of(row.clock)));
  if (!row.failed.empty()) {
    all.push_back(std::to_string(row.failed.size()) + " of " +
                  std::to_string(row.measured.size() + row.failed.size()) + " failed");
  }
  return join(all);
}

// What stands in place of numbers.
std::string no_numbers(const CaseRow& row) {
  if (!row.failed.empty()) return "failed: " + reason_of(*row.failed.front());
  if (!row.skipped.empty()) return "skipped: " + reason_of(*row.skipped.front());
  return "unfinished";
}

Align alignment(const TableFacts& facts, const std::string& option) {
  for (const CaseRow& row : facts.rows) {
    const auto found = row.options.find(option);
    if (found == row.options.end() || is_null(found->second)) continue;
    if (std::holds_alternative<std::string>(found->second)) return Align::kLeft;
  }
  return Align::kRight;
}

// Higher is better: samples/s where all rows have it, else the inverse of the step.
struct Speed {
  double centre = 0;
  Interval interval;
};

std::optional<Speed> speed_of(const CaseRow& row, bool by_rate) {
  if (!row.headline_ns() || row.spread == Spread::kNone || row.smoke) return std::nullopt;
  const double work = by_rate ? *row.samples_per_s * *row.step_ns : 1;
  return Speed{work / *row.headline_ns(),
               {work / row.interval_ns.high, work / row.interval_ns.low}};
}

// The fastest row and those that it cannot be told from, since their intervals overlap. None
// where the fastest has no interval over launches, or where there is no choice.
std::vector<bool> best_rows(const std::vector<CaseRow>& rows) {
  const bool by_rate = std::all_of(rows.begin(), rows.end(), [](const CaseRow& r) {
    return !r.step_ns || (r.samples_per_s && !r.latency_ns);
  });
  std::vector<bool> best(rows.size(), false);
  std::vector<std::optional<Speed>> speeds;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    speeds.push_back(speed_of(rows[i], by_rate));
    if (!speeds[i]) continue;
    if (!first || speeds[i]->centre > speeds[*first]->centre) first = i;
  }
  const auto known = [](const std::optional<Speed>& speed) { return speed.has_value(); };
  if (std::count_if(speeds.begin(), speeds.end(), known) < 2) return best;
  if (rows[*first].spread != Spread::kOverLaunches) return best;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    best[i] = speeds[i] && speeds[i]->interval.high >= speeds[*first]->interval.low;
  }
  return best;
}

// A column of the table. Null: the one that a case is about, and its spread.
struct MetricColumn {
  std::string head;
  std::string (*cell)(const CaseRow&, const TableFacts&);
  const EstimateColumn* number = nullptr;
  int drop_at = 0;
};

// Says what stands in the column: a latency or a step, and by which clock.
std::string headline_head(const TableFacts& facts) {
  const std::string unit = " [" + std::string(facts.unit.name) + ']';
  if (facts.latencies == std::set<bool>{true}) return "latency p50" + unit;
  if (facts.clocks.size() != 1 || facts.clocks.contains(StepClock::kHost)) return "step" + unit;
  return "step, " + std::string(name_of(*facts.clocks.begin())) + unit;
}

std::string headline_cell(const CaseRow& row, const TableFacts& facts) {
  return row.headline_ns() ? significant(*row.headline_ns() / facts.unit.ns) : kNothing;
}

std::string cell_of(const MetricColumn& column, const CaseRow& row, const TableFacts& facts) {
  return column.number == nullptr ? column.cell(row, facts)
                                  : estimate_text(*column.number, row, facts.unit, kNothing);
}

std::vector<MetricColumn> metric_columns(const TableFacts& facts) {
  std::vector<MetricColumn> columns = {{.head = headline_head(facts), .cell = headline_cell}};
  if (!facts.spread_head.empty()) {
    columns.push_back({.head = facts.spread_head, .cell = spread_cell, .drop_at = 80});
  }
  for (const EstimateColumn& column : estimate_columns()) {
    const auto shown = [&](const CaseRow& row) {
      return column.shown_for == nullptr ? !is_null(column.get(row)) : column.shown_for(row);
    };
    if (column.header.empty()) continue;
    if (std::none_of(facts.rows.begin(), facts.rows.end(), shown)) continue;
    columns.push_back({.head = header_text(column, facts.unit),
                       .cell = nullptr,
                       .number = &column,
                       .drop_at = column.drop_at});
  }
  return columns;
}

Grid make_grid(const TableFacts& facts) {
  Grid grid;
  const std::size_t digits = id_digits(facts.rows);
  const auto any = [&](auto has) { return std::any_of(facts.rows.begin(), facts.rows.end(), has); };
  const bool arms = any([](const CaseRow& row) { return !row.arm.empty(); });
  const bool marked =
      any([&](const CaseRow& row) { return row.step_ns && !marks(row, facts).empty(); });
  const auto metrics = metric_columns(facts);
  grid.columns.push_back({.head = "case", .align = Align::kLeft, .drop_at = 30});
  if (arms) grid.columns.push_back({.head = "arm", .align = Align::kLeft});
  for (const std::string& option : facts.varying) {
    grid.columns.push_back({.head = short_name(option, facts.varying),
                            .align = alignment(facts, option),
                            .shrink_at = 40});
  }
  for (const MetricColumn& metric : metrics) {
    grid.columns.push_back({.head = metric.head, .drop_at = metric.drop_at});
  }
  if (marked) grid.columns.push_back({.head = "", .align = Align::kLeft});
  const std::vector<bool> best = best_rows(facts.rows);
  for (std::size_t i = 0; i < facts.rows.size(); ++i) {
    const CaseRow& row = facts.rows[i];
    GridRow out;
    out.cells.push_back(row.case_id.substr(0, digits));
    if (arms) out.cells.push_back(row.arm);
    for (const std::string& option : facts.varying) out.cells.push_back(option_cell(row, option));
    if (row.step_ns) {
      for (const MetricColumn& metric : metrics) out.cells.push_back(cell_of(metric, row, facts));
      if (marked) out.cells.push_back(marks(row, facts));
      if (best[i]) out.tint = Tint::kBest;
    } else {
      out.instead = no_numbers(row);
      out.tint = row.failed.empty() ? Tint::kDim : Tint::kFailed;
    }
    grid.rows.push_back(std::move(out));
  }
  return grid;
}

// Findings come from profiled launches too.
std::vector<CaseRow> all_rows(const TableFacts& facts) {
  std::vector<CaseRow> rows = facts.rows;
  rows.insert(rows.end(), facts.profiled.begin(), facts.profiled.end());
  return rows;
}

std::string markdown(const Results& results, const TableStyle& style) {
  const TableFacts facts = facts_of(results, style.sort);
  std::string text = draw_markdown(make_grid(facts));
  std::vector<std::string> notes = notes_of(facts.rows, results);
  add_profile_notes(facts.profiled, facts.rows, results, notes);
  for (const auto& lines : {finding_lines(all_rows(facts), results), notes}) {
    if (!lines.empty()) text += '\n';
    for (const std::string& line : lines) {
      text += (line.starts_with("  ") ? "" : "- ") + markdown_line(line) + '\n';
    }
  }
  return text;
}

}  // namespace

std::string render_table(const Results& results, const TableStyle& style) {
  const TableFacts facts = facts_of(results, style.sort);
  if (facts.rows.empty()) return "No launches in these results.\n";
  const auto columns = static_cast<std::size_t>(std::max(style.columns, 20));
  const DrawnGrid drawn = draw(make_grid(facts), columns, style.colour);
  std::string text = drawn.text;
  std::vector<std::string> notes = notes_of(facts.rows, results);
  add_profile_notes(facts.profiled, facts.rows, results, notes);
  if (!drawn.dropped.empty()) {
    notes.push_back("no room for: " + join(drawn.dropped) +
                    " (a wider terminal or --format csv has it)");
  }
  for (const auto& lines : {finding_lines(all_rows(facts), results), notes}) {
    if (!lines.empty()) text += '\n';
    for (const std::string& line : lines) text += wrapped(line, columns) + '\n';
  }
  return text;
}

std::string render(const Results& results, Format format, const TableStyle& style) {
  if (format == Format::kTable) return render_table(results, style);
  if (format == Format::kMarkdown) return markdown(results, style);
  std::vector<CaseRow> rows = case_rows(results);
  sort_rows(rows, style.sort);
  return format == Format::kCsv ? csv_of(rows, style.select) : json_of(rows, results, style.select);
}

}  // namespace stepbench
