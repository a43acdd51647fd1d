// SPDX-License-Identifier: Apache-2.0
#include "harness/report/case_table.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/document/render_markdown.h"
#include "harness/document/render_text.h"
#include "harness/document/table.h"
#include "harness/estimate/baseline.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/ranking.h"
#include "harness/estimate/row_values.h"
#include "harness/report/case_export.h"
#include "harness/report/internal/answer.h"
#include "harness/report/internal/findings.h"
#include "harness/report/internal/notes.h"
#include "harness/report/internal/pivot.h"
#include "harness/report/internal/run_title.h"
#include "harness/report/noise_text.h"
#include "harness/text/csv.h"
#include "harness/text/words.h"

namespace stepbench::report {
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
  std::vector<estimate::CaseRow> rows = facts.rows;
  rows.insert(rows.end(), facts.profiled.begin(), facts.profiled.end());
  return finding_paragraphs(rows, facts.results);
}

std::vector<document::Paragraph> all_notes(const TableFacts& facts) {
  std::vector<document::Paragraph> notes = notes_of(with_skipped(facts), facts.results);
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
  const std::vector<document::Paragraph> notes = all_notes(facts);
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
    add(all_findings(facts));
    add(notes);
  }
  return {.headline = titles.empty() ? "" : titles.front(),
          .answer = std::move(answer),
          .chapters = {std::move(page)},
          .all_columns_in = "--format csv",
          .marker = "stepbench-run"};
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
                 [](const document::Column& column) { return text::csv_cell(column.head); }) +
      '\n';
  for (const document::TableRow& row : grid.rows)
    text += text::join(row.cells, ",",
                       [](const document::Cell& cell) { return text::csv_cell(cell.text); }) +
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
  return text::whole_text(
      [&](const text::TextSink& sink) { write_results(results, format, style, sink); });
}

void write_results(const record::Results& results, Format format, const TableStyle& style,
                   const text::TextSink& sink) {
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
