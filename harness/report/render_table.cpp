// SPDX-License-Identifier: Apache-2.0
#include "harness/report/table.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/estimate/baseline.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/ranking.h"
#include "harness/estimate/row_values.h"
#include "harness/report/answer.h"
#include "harness/report/case_table.h"
#include "harness/report/export.h"
#include "harness/report/findings.h"
#include "harness/report/noise_text.h"
#include "harness/report/notes.h"
#include "harness/report/pivot.h"
#include "harness/report/run_title.h"
#include "harness/report/sweep_plot.h"
#include "harness/text/csv.h"
#include "harness/text/grid.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

struct Body {
  std::string heading;  // of a pivot or picture; empty for the table of cases
  text::Grid grid;
};

Body body_of(const TableFacts& facts, const TableStyle& style, std::size_t columns) {
  if (style.plot) {
    SweepPlot plot = sweep_plot(facts, style, columns);
    return {std::move(plot.heading), std::move(plot.grid)};
  }
  if (style.noise) return {{}, noise_grid(facts)};
  if (style.pivot.empty()) return {{}, case_grid(facts, style.select)};
  if (style.select.size() > 1) {
    throw ConfigError("--columns", "a pivot shows one number: name one column");
  }
  Pivot made = pivot(facts.rows, facts.results, style.pivot,
                     style.select.empty() ? "" : style.select.front(), false);
  return {std::move(made.title), std::move(made.grid)};
}

// Findings come from profiled launches too.
std::vector<std::string> all_findings(const TableFacts& facts) {
  if (facts.profiled.empty()) return finding_lines(facts.rows, facts.results);
  std::vector<estimate::CaseRow> rows = facts.rows;
  rows.insert(rows.end(), facts.profiled.begin(), facts.profiled.end());
  return finding_lines(rows, facts.results);
}

std::vector<std::string> all_notes(const TableFacts& facts) {
  std::vector<std::string> notes = notes_of(facts.rows, facts.results);
  add_profile_notes(facts.profiled, facts.rows, facts.results, notes);
  return notes;
}

// What stands below the table, in paragraphs.
std::vector<std::vector<std::string>> lines_below(const TableFacts& facts,
                                                  const TableStyle& style) {
  if (style.noise) return {noise_lines(facts.rows, facts.results, *style.noise)};
  return {all_findings(facts), all_notes(facts)};
}

std::string markdown(const record::Results& results, const TableStyle& style) {
  const TableFacts facts = table_facts(results, style);
  const Body body = body_of(facts, style, 0);
  std::string text;
  for (const std::string& title : run_titles(facts.rows, results)) {
    text += (text.empty() ? "<!-- stepbench-run -->\n### " : "\n### ") +
            text::markdown_line(title) + '\n';
  }
  const std::string answer = answer_line(facts.rows, results);
  if (!answer.empty()) text += (text.empty() ? "" : "\n") + text::markdown_line(answer) + '\n';
  if (!body.heading.empty()) text += '\n' + text::markdown_line(body.heading) + ":\n";
  text += (text.empty() ? "" : "\n") + text::draw_markdown(body.grid);
  for (const auto& lines : lines_below(facts, style)) {
    if (!lines.empty()) text += '\n';
    for (const std::string& line : lines) {
      text += (line.starts_with("  ") ? "" : "- ") + text::markdown_line(line) + '\n';
    }
  }
  return text + markdown_details(results);
}

std::string pivot_csv(const record::Results& results, const TableStyle& style) {
  const TableFacts facts = table_facts(results, style);
  const text::Grid grid = pivot(facts.rows, results, style.pivot,
                                style.select.empty() ? "" : style.select.front(), true)
                              .grid;
  std::string text =
      text::join(grid.columns, ",",
                 [](const text::GridColumn& column) { return text::csv_cell(column.head); }) +
      '\n';
  for (const text::GridRow& row : grid.rows)
    text += text::join(row.cells, ",", text::csv_cell) + '\n';
  return text;
}

}  // namespace

std::string render_table(const record::Results& results, const TableStyle& style) {
  const TableFacts facts = table_facts(results, style);
  if (facts.rows.empty()) return "No launches in these results.\n";
  const auto columns = static_cast<std::size_t>(std::max(style.columns, 20));
  Body body = body_of(facts, style, columns);
  const text::DrawnGrid drawn = text::draw(std::move(body.grid), columns, style.colour);
  std::string text;
  for (const std::string& title : run_titles(facts.rows, results)) {
    text += text::wrap_hanging(title, columns) + '\n';
  }
  if (!text.empty()) text += '\n';
  if (!body.heading.empty()) text += wrapped(body.heading, columns) + '\n';
  text += drawn.text;
  auto below = lines_below(facts, style);
  if (!drawn.dropped.empty()) {
    below.back().push_back("no room for: " + text::join(drawn.dropped) +
                           " (a wider terminal or --format csv has it)");
  }
  if (const std::string answer = answer_line(facts.rows, results);
      !style.noise && !answer.empty()) {
    below.push_back({answer});
  }
  for (const auto& lines : below) {
    if (!lines.empty()) text += '\n';
    for (const std::string& line : lines) text += wrapped(line, columns) + '\n';
  }
  return text;
}

std::string render(const record::Results& results, Format format, const TableStyle& style) {
  return text::whole_text(
      [&](const text::TextSink& sink) { write_results(results, format, style, sink); });
}

void write_results(const record::Results& results, Format format, const TableStyle& style,
                   const text::TextSink& sink) {
  if (format == Format::kTable) return sink(render_table(results, style));
  if (format == Format::kMarkdown) return sink(markdown(results, style));
  if (!style.pivot.empty()) {
    if (format == Format::kCsv) return sink(pivot_csv(results, style));
    throw ConfigError("--pivot", "comes as table, markdown or csv; json has every case");
  }
  std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  estimate::compare_with_best(rows);
  if (!style.baseline.empty()) estimate::compare_with_baseline(rows, results, style.baseline);
  estimate::sort_rows(rows, style.sort);
  if (format == Format::kCsv) return write_csv(rows, style.select, sink);
  write_json(rows, results, style.select, estimate::Proposals(rows, results), sink);
}

}  // namespace stepbench::report
