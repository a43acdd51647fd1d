// SPDX-License-Identifier: Apache-2.0
// The table of cases: its columns and cells, its style, and its formats: console, CSV, JSON,
// Markdown (in render_table.cpp). Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/document/table.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/ranking.h"
#include "harness/record/reader.h"
#include "harness/text/numbers.h"
#include "harness/text/text_sink.h"

namespace stepbench::report {

struct TableStyle {
  bool colour = false;
  int columns = 100;  // terminal width
  // Sort key: an option, a column or its head; "-NAME" sorts descending; empty: plan order.
  std::string sort = {};
  std::vector<std::string> select = {};  // only these columns; empty: all
  // Baseline in place of the best row: see compare_with_baseline().
  std::string baseline = {};
  std::vector<std::string> pivot = {};  // two options: one number as rows by columns
  // Shows the sources of noise and the design that finds a relative change of this size below the
  // table, in place of findings, notes and answer.
  std::optional<double> noise = {};
  // By full name: defaults that the page of a case omits. Empty: shows all options.
  Fields defaults = {};
};

// Renders run and machine; one row per case: varying options, the ranking criterion (median over
// launches), its interval or range, its ratio to the best, and other columns; failed cases with
// their reasons, skipped ones in a note. Below it findings, notes and finally the answer, the best
// case. Throws ConfigError, as render() does, if `style` names an unknown column or option.
[[nodiscard]] std::string render_table(const record::Results& results, const TableStyle& style);

enum class Format : std::uint8_t { kTable, kCsv, kJson, kMarkdown };
constexpr EnumNames<4> names_of(Format) { return {"table", "csv", "json", "markdown"}; }
[[nodiscard]] std::string render(const record::Results& results, Format format,
                                 const TableStyle& style);
// Streams the result: for 100,000 cases CSV and JSON have hundreds of MB. If it throws, it does so
// before the first piece.
void write_results(const record::Results& results, Format format, const TableStyle& style,
                   const text::TextSink& sink);

// Facts shared by all cells of a table.
struct TableFacts {
  const record::Results& results;
  std::vector<estimate::CaseRow> rows;
  // Rows of profiling passes of cases with a timed row.
  std::vector<estimate::CaseRow> profiled;
  std::vector<estimate::CaseRow> skipped;  // by a rule, if there are other rows; a note lists them
  estimate::RowNames names;
  bool baseline = false;  // rows are compared with a baseline instead of the best row
  std::optional<estimate::Judged> by = {};
  std::optional<estimate::Ranking> ranking = {};
  text::TimeUnit unit = {};
  std::string spread_head = {};  // most frequent spread; "" if no row has one
  std::set<estimate::StepClock> clocks = {};
  std::set<bool> latencies = {};  // values of "is a latency" over all rows: one of them, or both
};

[[nodiscard]] TableFacts table_facts(const record::Results& results, const TableStyle& style);
// All rows including skipped ones, for notes.
[[nodiscard]] std::vector<estimate::CaseRow> with_skipped(const TableFacts& facts);
// Head of the column of times: "step [ms]", "step, device [ms]", "latency p50 [us]".
[[nodiscard]] std::string headline_head(const TableFacts& facts);
// Text in place of a row's numbers: "failed: …", "skipped: …", "unfinished".
[[nodiscard]] std::string no_numbers(const estimate::CaseRow& row);
// `select`: columns by any of their names; empty: the most useful ones.
[[nodiscard]] document::Table case_grid(const TableFacts& facts,
                                        const std::vector<std::string>& select);
// For `show --noise`: the case, its step, and the spread of its launches and steps.
[[nodiscard]] document::Table noise_grid(const TableFacts& facts);
// Criterion of the table; the step for rows that cannot be ranked.
[[nodiscard]] estimate::Judged judged(const TableFacts& facts);

}  // namespace stepbench::report
