// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/document/document.h"
#include "harness/document/render.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/ranking.h"
#include "harness/report/exports.h"
#include "harness/report/internal/answer.h"
#include "harness/report/internal/csv.h"
#include "harness/report/internal/estimate_text.h"
#include "harness/report/internal/findings.h"
#include "harness/report/internal/notes.h"
#include "harness/report/internal/run_title.h"
#include "harness/report/result_tables.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {

// Pivot table: one number per case, by two options. Pure; any thread.

// Distinct values of an option: numbers by size unless `in_given_order`, else in order of
// appearance.
[[nodiscard]] std::vector<Value> values_in_rows(const std::vector<estimate::CaseRow>& rows,
                                                const std::string& full_name, bool in_given_order);

struct Pivot {
  std::string title;  // "samples/s by num_workers and batch_size"
  document::Table grid;
};

// `by`: the options of rows and columns. `metric`: empty for the ranking criterion, whose best
// cells are marked. `plain`: cells in base units, for programs. Throws ConfigError at --pivot
// unless each cell has exactly one row.
[[nodiscard]] Pivot pivot(const std::vector<estimate::CaseRow>& rows,
                          const record::Results& results, const std::vector<std::string>& by,
                          const std::string& metric, bool plain);

namespace {

constexpr const char* kPivot = "--pivot";
constexpr std::size_t kMostPivotCells = 1'000'000;

// Different for different values; values themselves are not ordered, as numbers may be NaN.
std::pair<std::size_t, std::string> key_of(const Value& value) {
  return {value.index(), to_text(value)};
}

// Throws ConfigError naming the options that distinguish two rows of one cell.
[[noreturn]] void refuse_shared_cell(const estimate::CaseRow& a, const estimate::CaseRow& b,
                                     const std::vector<std::string>& axes,
                                     const estimate::RowNames& names) {
  std::vector<std::string> differ;
  for (const std::string& name : names.varying()) {
    const bool axis = std::ranges::find(axes, name) != axes.end();
    if (!axis && estimate::row_value(a, name) != estimate::row_value(b, name)) {
      differ.push_back(estimate::short_name(name, names.varying()));
    }
  }
  if (differ.empty()) {
    throw ConfigError(kPivot, a.run_id != b.run_id
                                  ? "several runs are shown; a pivot takes one"
                                  : "cases differ in their arm or pass; a pivot takes one of each");
  }
  throw ConfigError(kPivot,
                    formatted("cases also differ in {}: keep one value, as in `--filter {}={}`",
                              text::join(differ), differ.front(),
                              to_text(estimate::row_value(
                                  a, estimate::full_name(differ.front(), {&a, 1}, kPivot)))));
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
  std::set<std::pair<std::size_t, std::string>> seen;
  bool numbers = true;
  for (const estimate::CaseRow& row : rows) {
    Value value = estimate::row_value(row, full_name);
    numbers = numbers && number_of(value);
    if (seen.insert(key_of(value)).second) values.push_back(std::move(value));
  }
  if (numbers && !in_given_order) {
    std::ranges::stable_sort(
        values, [](const Value& a, const Value& b) { return *number_of(a) < *number_of(b); });
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
      throw ConfigError(kPivot, formatted("unknown option '{}'", name));
  }
  if (axes[0] == axes[1]) throw ConfigError(kPivot, "expected two different options");
  const estimate::RowNames names(rows, results);
  const std::string number = metric_name(rows, metric);
  const text::TimeUnit unit = unit_of(rows, number);
  const std::vector<Value> down = values_in_rows(rows, axes[0], false);
  const std::vector<Value> across = values_in_rows(rows, axes[1], false);
  if (down.size() * across.size() > kMostPivotCells) {
    throw ConfigError(
        kPivot,
        formatted("{} rows and {} columns are more than {} cells; show fewer cases with --filter",
                  text::with_separators(down.size()), text::with_separators(across.size()),
                  text::with_separators(kMostPivotCells)));
  }
  const auto places_of = [](const std::vector<Value>& values) {
    std::map<std::pair<std::size_t, std::string>, std::size_t> places;
    for (const Value& value : values) places.emplace(key_of(value), places.size());
    return places;
  };
  const auto rows_of = places_of(down);
  const auto columns_of = places_of(across);
  std::map<std::pair<std::size_t, std::size_t>, const estimate::CaseRow*> cells;
  for (const estimate::CaseRow& row : rows) {
    const std::pair at(rows_of.at(key_of(estimate::row_value(row, axes[0]))),
                       columns_of.at(key_of(estimate::row_value(row, axes[1]))));
    const auto [there, is_new] = cells.try_emplace(at, &row);
    if (!is_new) refuse_shared_cell(*there->second, row, axes, names);
  }
  const auto ranking = estimate::rank(rows);
  const bool marked = !plain && ranking && number == name_of(ranking->by);
  const std::string head = plain ? number : head_for(number, unit, names);
  const std::string first = estimate::short_name(axes[0], names.varying());
  const std::string second = estimate::short_name(axes[1], names.varying());
  Pivot made{.title = formatted("{} by {} and {}", head, first, second), .grid = {}};
  made.grid.columns.push_back({.head = first});
  for (const Value& value : across) {
    made.grid.columns.push_back({.head = second + '=' + to_text(value)});
  }
  const bool stars =
      marked && std::ranges::any_of(rows, [](const estimate::CaseRow& row) { return row.is_best; });
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

namespace {

struct Body {
  std::string heading;  // title of a pivot; empty for the table of cases
  document::Table table;
};

Body body_of(const TableFacts& facts, const TableStyle& style) {
  if (style.noise) return {{}, noise_grid(facts)};
  if (style.pivot.empty()) return {{}, case_grid(facts, style.select)};
  if (style.select.size() > 1) {
    throw ConfigError("--columns", "a pivot shows one number: name one column");
  }
  Pivot made = pivot(with_skipped(facts), facts.results, style.pivot,
                     style.select.empty() ? "" : style.select.front(), false);
  return {std::move(made.title), std::move(made.grid)};
}

// Includes findings of profiled launches.
std::vector<document::Paragraph> all_findings(const TableFacts& facts) {
  if (facts.profiled.empty()) return finding_paragraphs(facts.rows, facts.results);
  std::vector<estimate::CaseRow> rows = facts.rows;
  rows.insert(rows.end(), facts.profiled.begin(), facts.profiled.end());
  return finding_paragraphs(rows, facts.results);
}

std::vector<document::Paragraph> all_notes(const TableFacts& facts) {
  std::vector<document::Paragraph> notes = facts.skipped.empty()
                                               ? notes_of(facts.rows, facts.results)
                                               : notes_of(with_skipped(facts), facts.results);
  add_profile_notes(facts.profiled, facts.rows, facts.results, notes);
  return notes;
}

document::Document results_document(const TableFacts& facts, const TableStyle& style) {
  document::Chapter page{.id = "cases", .title = "Cases", .blocks = {}};
  const auto add = [&](std::vector<document::Paragraph> paragraphs) {
    if (paragraphs.empty()) return;
    page.blocks.emplace_back(document::Heading{});
    std::ranges::move(paragraphs, std::back_inserter(page.blocks));
  };
  std::vector<std::string> titles = run_titles(facts.rows, facts.results);
  // Before the table: each may copy all rows for a moment.
  std::vector<document::Paragraph> notes = all_notes(facts);
  std::vector<document::Paragraph> findings;
  if (!style.noise) findings = all_findings(facts);
  document::Answer answer;
  if (!style.noise) answer = run_answer(facts.rows, facts.results, notes);
  for (std::size_t i = 1; i < titles.size(); ++i) {
    page.blocks.emplace_back(document::Paragraph{titles[i]});
  }
  Body body = body_of(facts, style);
  body.table.title = std::move(body.heading);
  page.blocks.emplace_back(std::move(body.table));
  if (style.noise) {
    add(document::paragraphs_of(noise_lines(facts.rows, facts.results, *style.noise)));
  } else {
    add(std::move(findings));
    add(std::move(notes));
  }
  document::Document document{.headline = titles.empty() ? "" : titles.front(),
                              .answer = std::move(answer),
                              .all_columns_in = "--format csv",
                              .marker = "stepbench-run"};
  document.chapters.push_back(std::move(page));  // a list of one would copy the table
  return document;
}

std::string markdown(const record::Results& results, const TableStyle& style) {
  const TableFacts facts = table_facts(results, style);
  return document::render_markdown(results_document(facts, style)) + markdown_details(results);
}

std::string pivot_csv(const record::Results& results, const TableStyle& style) {
  const TableFacts facts = table_facts(results, style);
  const document::Table grid = pivot(with_skipped(facts), results, style.pivot,
                                     style.select.empty() ? "" : style.select.front(), true)
                                   .grid;
  std::string text =
      text::join(grid.columns, ",",
                 [](const document::Column& column) { return csv_cell(column.head); }) +
      '\n';
  for (const document::TableRow& row : grid.rows)
    text +=
        text::join(row.cells, ",", [](const document::Cell& cell) { return csv_cell(cell.text); }) +
        '\n';
  return text;
}

}  // namespace

std::string render_table(const record::Results& results, const TableStyle& style) {
  const TableFacts facts = table_facts(results, style);
  if (facts.rows.empty()) return "No launches in these results.\n";
  const auto columns = static_cast<std::size_t>(std::max(style.columns, 20));
  return document::render_text(results_document(facts, style), columns, style.colour);
}

std::string render(const record::Results& results, Format format, const TableStyle& style) {
  return json::whole_text(
      [&](const json::TextSink& sink) { write_results(results, format, style, sink); });
}

void write_results(const record::Results& results, Format format, const TableStyle& style,
                   const json::TextSink& sink) {
  if (format == Format::kTable) return sink(render_table(results, style));
  if (format == Format::kMarkdown) return sink(markdown(results, style));
  if (!style.pivot.empty()) {
    if (format == Format::kCsv) return sink(pivot_csv(results, style));
    throw ConfigError("--pivot", "supports table, markdown or csv; json has every case");
  }
  std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  estimate::compare_with_best(rows);
  if (!style.baseline.empty()) estimate::compare_with_baseline(rows, results, style.baseline);
  estimate::sort_rows(rows, style.sort);
  if (format == Format::kCsv) return write_csv(rows, style.select, sink);
  write_json(rows, results, style.select, estimate::Proposals(rows, results), sink);
}

}  // namespace stepbench::report
