// SPDX-License-Identifier: Apache-2.0
// The table of cases and its exports: console, CSV, JSON, Markdown. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/record/reader.h"
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
[[nodiscard]] std::string render(const record::Results& results, Format format,
                                 const TableStyle& style);
// Streams the result: for 100,000 cases CSV and JSON have hundreds of MB. If it throws, it does so
// before the first piece.
void write_results(const record::Results& results, Format format, const TableStyle& style,
                   const text::TextSink& sink);

}  // namespace stepbench::report
