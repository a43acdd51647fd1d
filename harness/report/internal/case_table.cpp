// SPDX-License-Identifier: Apache-2.0
#include "harness/report/result_tables.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/document/document.h"
#include "harness/estimate/columns.h"
#include "harness/report/internal/answer.h"
#include "harness/report/internal/estimate_text.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr const char* kNothing = "-";
constexpr int kNeverDropped = 0;
constexpr int kJudgedIntervalDropped = 90;
constexpr int kRatioDropped = 85;
constexpr int kBoundDropped = 28;
constexpr int kOtherTimeDropped = 75;
constexpr int kScalingDropped = 65;

// The value by which the table is judged; nullopt if the row lacks it.
std::optional<estimate::JudgedValue> shown_value(const estimate::CaseRow& row,
                                                 const TableFacts& facts) {
  // In a mix of latencies and steps each row shows its own.
  const bool mixed = !facts.by && row.latency_ns;
  return estimate::judged_value(row, mixed ? estimate::Judged::kLatency : judged(facts));
}

document::Cell spread_cell(const estimate::CaseRow& row, const TableFacts& facts) {
  const auto value = shown_value(row, facts);
  if (!value || value->spread == estimate::Spread::kNone) return kNothing;
  const estimate::Judged by = judged(facts);
  const double unit = estimate::is_rate(by) ? estimate::rate_unit(by).scale : facts.unit.ns;
  std::string cell = text::interval_text(value->interval.low / unit, value->interval.high / unit);
  if (estimate::spread_name(row) == facts.spread_head) return {cell, value->interval.low};
  const std::string launches = formatted("n={}", row.measured.size());
  return (row.spread == estimate::Spread::kWithinLaunch ? "within launch" : launches) + ' ' + cell;
}

std::string marks(const estimate::CaseRow& row, const TableFacts& facts) {
  std::vector<std::string> all;
  if (row.smoke) all.emplace_back("smoke");
  if (row.pass != Pass::kTiming) all.emplace_back(name_of(row.pass));
  if (row.latency_ns && facts.latencies.size() > 1) all.emplace_back("latency p50");
  if (facts.clocks.size() > 1) all.push_back("clock: " + std::string(name_of(row.clock)));
  if (!row.failed.empty()) {
    all.push_back(
        formatted("{} of {} failed", row.failed.size(), row.measured.size() + row.failed.size()));
  }
  return text::join(all);
}

bool holds_words(const TableFacts& facts, const std::string& option) {
  for (const estimate::CaseRow& row : facts.rows) {
    const Value* value = row.option(option);
    if (value != nullptr && std::holds_alternative<std::string>(*value)) return true;
  }
  return false;
}

struct TableColumn {
  document::Column head;
  std::function<document::Cell(const estimate::CaseRow&)> cell;
  bool of_case = false;  // identifies the case: shown even without numbers
};

document::Cell headline_cell(const estimate::CaseRow& row, const TableFacts& facts) {
  if (!row.headline_ns()) return kNothing;
  return document::number(*row.headline_ns() / facts.unit.ns);
}

// "1.31x *"; cells without the mark end in blanks, to align the numbers.
document::Cell best_cell(const estimate::CaseRow& row, bool decided) {
  if (!row.vs_best) return kNothing;
  const std::string ratio = text::significant(*row.vs_best) + 'x';
  if (!decided) return {ratio, row.vs_best};
  return {ratio + (row.is_best ? std::string(" ") + kBestMark : "  "), row.vs_best};
}

document::Cell baseline_cell(const estimate::CaseRow& row) {
  if (!row.vs_baseline) return kNothing;
  const std::string ratio = text::significant(*row.vs_baseline) + 'x';
  if (!row.vs_baseline_interval) return {ratio, row.vs_baseline};
  return {ratio + ' ' +
              text::interval_text(row.vs_baseline_interval->low, row.vs_baseline_interval->high),
          row.vs_baseline};
}

class Columns {
 public:
  explicit Columns(const TableFacts& facts) : facts_(facts) {}

  std::vector<TableColumn> take() {
    take_judged();
    const auto bounded = [](const estimate::CaseRow& row) {
      return row.at_most_slower.has_value();
    };
    if (!facts_.baseline && std::ranges::any_of(facts_.rows, bounded)) {
      estimate("at_most_slower", kBoundDropped);
    }
    if (estimate::is_rate(judged(facts_))) headline(kOtherTimeDropped);
    others();
    scaling();
    return std::move(columns_);
  }

  // Columns that identify the case, its step, and its noise.
  std::vector<TableColumn> take_noise() {
    case_columns();
    std::vector<std::string> names = {"launches", "step_ns"};
    for (const estimate::EstimateColumn& column : estimate::noise_columns())
      names.emplace_back(column.metric.name);
    return take(names);
  }

  std::vector<TableColumn> take(const std::vector<std::string>& select) {
    for (const std::string& asked : select) {
      const std::string name = estimate::full_name(asked, facts_.rows, "--columns");
      const bool option = estimate::is_option(facts_.rows, name);
      const bool of_case = option || name == "case_id" || name == "run_id" || name == "arm" ||
                           name == "workload" || name == "pass";
      columns_.push_back({.head = {.head = head_for(name, facts_.unit, facts_.names),
                                   .left = option ? holds_words(facts_, name) : of_case,
                                   .shrink_at = of_case ? 40 : 0},
                          .cell =
                              [this, name](const estimate::CaseRow& row) {
                                return document::Cell(
                                    text_for(row, name, facts_.unit, facts_.results.columns),
                                    number_of(estimate::row_value(row, name)));
                              },
                          .of_case = of_case});
    }
    return std::move(columns_);
  }

 private:
  void take_judged() {
    case_columns();
    if (estimate::is_rate(judged(facts_))) {
      estimate(name_of(judged(facts_)), kNeverDropped);
    } else {
      headline(kNeverDropped);
    }
    spread(kJudgedIntervalDropped);
    ratio();
  }

  void case_columns() {
    const auto add = [&](document::Column head,
                         std::function<document::Cell(const estimate::CaseRow&)> cell) {
      columns_.push_back({.head = std::move(head), .cell = std::move(cell), .of_case = true});
    };
    const std::size_t digits = estimate::id_digits(facts_.rows);
    add({.head = "case", .left = true, .drop_at = 55},
        [digits](const estimate::CaseRow& row) { return row.case_id.substr(0, digits); });
    if (facts_.names.has_runs()) {
      add(document::words("run"),
          [this](const estimate::CaseRow& row) { return facts_.names.run(row); });
    }
    if (std::ranges::any_of(facts_.rows,
                            [](const estimate::CaseRow& row) { return !row.arm.empty(); })) {
      add(document::words("arm"), [](const estimate::CaseRow& row) { return row.arm; });
    }
    const std::vector<std::string>& varying = facts_.names.varying();
    for (const std::string& option : varying) {
      add({.head = estimate::short_name(option, varying),
           .left = holds_words(facts_, option),
           .shrink_at = 40},
          [option](const estimate::CaseRow& row) {
            const Value* value = row.option(option);
            if (value == nullptr) return document::Cell(kNothing);
            return document::Cell(to_text(*value), number_of(*value));
          });
    }
  }

  void headline(int drop_at) {
    columns_.push_back(
        {.head = {.head = headline_head(facts_), .drop_at = drop_at},
         .cell = [this](const estimate::CaseRow& row) { return headline_cell(row, facts_); }});
  }

  void spread(int drop_at) {
    if (facts_.spread_head.empty()) return;
    columns_.push_back(
        {.head = {.head = facts_.spread_head, .drop_at = drop_at},
         .cell = [this](const estimate::CaseRow& row) { return spread_cell(row, facts_); }});
  }

  void ratio() {
    if (facts_.baseline) {
      columns_.push_back({.head = {.head = "vs baseline"}, .cell = baseline_cell});
    } else if (facts_.ranking) {
      const bool decided = facts_.ranking->decided;
      columns_.push_back(
          {.head = {.head = decided ? "vs best" : "vs fastest", .drop_at = kRatioDropped},
           .cell = [decided](const estimate::CaseRow& row) { return best_cell(row, decided); }});
    }
  }

  // Only a sweep over ranks has it.
  void scaling() {
    const auto efficiency = &estimate::CaseRow::scaling_efficiency;
    if (std::ranges::none_of(facts_.rows,
                             [&](const auto& row) { return (row.*efficiency).has_value(); }))
      return;
    columns_.push_back({.head = {.head = "scaling [%]", .drop_at = kScalingDropped},
                        .cell = [efficiency](const estimate::CaseRow& row) {
                          const auto share = row.*efficiency;
                          return share ? document::percent(*share) : document::Cell(kNothing);
                        }});
  }

  void estimate(std::string_view name, int drop_at) {
    for (const estimate::EstimateColumn& column : estimate::estimate_columns()) {
      if (column.metric.name == name) estimate(column, drop_at);
    }
  }
  void estimate(const estimate::EstimateColumn& column, int drop_at) {
    columns_.push_back({.head = {.head = header_text(column, facts_.unit), .drop_at = drop_at},
                        .cell = [this, &column](const estimate::CaseRow& row) {
                          return document::Cell(estimate_text(column, row, facts_.unit, kNothing),
                                                number_of(column.get(row)));
                        }});
  }

  void others() {
    others(estimate::request_columns());
    others(estimate::estimate_columns());
  }
  void others(std::span<const estimate::EstimateColumn> columns) {
    for (const estimate::EstimateColumn& column : columns) {
      const auto shown = [&](const estimate::CaseRow& row) {
        return column.shown_for == nullptr ? !is_null(column.get(row)) : column.shown_for(row);
      };
      if (column.header.empty() || column.metric.name == name_of(judged(facts_))) continue;
      if (std::ranges::none_of(facts_.rows, shown)) continue;
      estimate(column, column.drop_at);
    }
  }

  const TableFacts& facts_;
  std::vector<TableColumn> columns_;
};

// The most frequent spread of rows; "" if no row has one.
std::string most_frequent_spread(const std::vector<estimate::CaseRow>& rows) {
  std::map<std::string, std::size_t> spreads;
  for (const estimate::CaseRow& row : rows) {
    if (row.headline_ns() && row.spread != estimate::Spread::kNone)
      ++spreads[estimate::spread_name(row)];
  }
  const auto most = std::ranges::max_element(
      spreads, [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == spreads.end() ? std::string() : most->first;
}

// `with_marks`: also show marks of rows with numbers.
document::Table filled(const std::vector<TableColumn>& columns, const TableFacts& facts,
                       bool with_marks) {
  const bool marked =
      with_marks && std::ranges::any_of(facts.rows, [&](const estimate::CaseRow& row) {
        return row.step_ns && !marks(row, facts).empty();
      });
  document::Table grid;
  for (const TableColumn& column : columns) grid.columns.push_back(column.head);
  if (marked) grid.columns.push_back(document::words(""));
  for (const estimate::CaseRow& row : facts.rows) {
    document::TableRow& line = grid.rows.emplace_back();
    line.cells.reserve(grid.columns.size());
    for (const TableColumn& column : columns) {
      if (!row.step_ns && !column.of_case) break;
      line.cells.push_back(column.cell(row));
    }
    if (row.step_ns) {
      if (marked) line.cells.push_back(marks(row, facts));
      if (row.is_best) line.tone = document::Tone::kGood;
    } else {
      if (line.cells.size() < columns.size()) line.instead = no_numbers(row);
      line.tone = row.failed.empty() ? document::Tone::kDim : document::Tone::kBad;
    }
  }
  return grid;
}

}  // namespace

std::string no_numbers(const estimate::CaseRow& row) {
  if (!row.failed.empty()) return "failed: " + estimate::reason_of(*row.failed.front());
  if (!row.skipped.empty()) return "skipped: " + estimate::reason_of(*row.skipped.front());
  return row.running.empty() ? "unfinished" : "running now";
}

std::string headline_head(const TableFacts& facts) {
  const std::string unit = " [" + std::string(facts.unit.name) + ']';
  if (facts.latencies == std::set<bool>{true}) return "latency p50" + unit;
  if (facts.clocks.size() != 1 || facts.clocks.contains(estimate::StepClock::kHost))
    return "step" + unit;
  return "step, " + std::string(name_of(*facts.clocks.begin())) + unit;
}

namespace {

// Removes cases skipped by a rule of the plan, unless there are no others.
std::vector<estimate::CaseRow> take_skipped(std::vector<estimate::CaseRow>& rows) {
  std::vector<estimate::CaseRow> skipped;
  std::ranges::copy_if(rows, std::back_inserter(skipped), estimate::was_skipped);
  if (skipped.size() == rows.size()) return {};
  std::erase_if(rows, estimate::was_skipped);
  return skipped;
}

}  // namespace

std::vector<estimate::CaseRow> with_skipped(const TableFacts& facts) {
  std::vector<estimate::CaseRow> rows = facts.rows;
  rows.insert(rows.end(), facts.skipped.begin(), facts.skipped.end());
  return rows;
}

TableFacts table_facts(const record::Results& results, const TableStyle& style) {
  std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  std::vector<estimate::CaseRow> profiled = estimate::take_profiled(rows);
  std::vector<estimate::CaseRow> skipped = take_skipped(rows);
  estimate::compare_with_best(rows);
  if (!style.baseline.empty()) estimate::compare_with_baseline(rows, results, style.baseline);
  estimate::sort_rows(rows, style.sort);
  TableFacts facts{.results = results,
                   .rows = std::move(rows),
                   .profiled = std::move(profiled),
                   .skipped = std::move(skipped),
                   .names = {{}, {}},
                   .baseline = !style.baseline.empty()};
  facts.names = estimate::RowNames(facts.rows, results);
  facts.by = estimate::judged_by(facts.rows);
  facts.ranking = estimate::rank(facts.rows);
  std::vector<double> times;
  for (const estimate::CaseRow& row : facts.rows) {
    if (!row.headline_ns()) continue;
    times.push_back(*row.headline_ns());
    facts.clocks.insert(row.clock);
    facts.latencies.insert(row.latency_ns.has_value());
  }
  facts.unit = text::unit_for(times);
  facts.spread_head = most_frequent_spread(facts.rows);
  return facts;
}

namespace {

// True for columns that only profiled launches have: kernels, compute_ns.
bool is_profiled_column(const std::string& name, const TableFacts& facts) {
  const auto known = [&](std::span<const estimate::CaseRow> rows) {
    try {
      static_cast<void>(estimate::full_name(name, rows, "--columns"));
      return true;
    } catch (const ConfigError&) {
      return false;
    }
  };
  return !facts.profiled.empty() && !known(facts.rows) && known(facts.profiled);
}

}  // namespace

estimate::Judged judged(const TableFacts& facts) {
  return facts.by.value_or(estimate::Judged::kStep);
}

document::Table case_grid(const TableFacts& facts, const std::vector<std::string>& select) {
  if (std::ranges::any_of(
          select, [&](const std::string& name) { return is_profiled_column(name, facts); })) {
    TableFacts all = facts;
    all.rows.insert(all.rows.end(), facts.profiled.begin(), facts.profiled.end());
    return filled(Columns(all).take(select), all, false);
  }
  Columns maker(facts);
  return filled(select.empty() ? maker.take() : maker.take(select), facts, select.empty());
}

document::Table noise_grid(const TableFacts& facts) {
  return filled(Columns(facts).take_noise(), facts, false);
}

}  // namespace stepbench::report
