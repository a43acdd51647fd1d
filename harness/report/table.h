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
  // What to order rows by: an option, a column or its head; "-NAME" largest first; empty: plan
  // order.
  std::string sort = {};
  std::vector<std::string> select = {};  // only these columns; empty: all
  // What to hold rows against in place of the best one: see compare_with_baseline().
  std::string baseline = {};
  std::vector<std::string> pivot = {};  // two options: one number as rows by columns
  // Below the table: where the noise comes from and what finds a relative change of this size, in
  // place of findings, notes and answer.
  std::optional<double> noise = {};
  // By full name: the page of a case leaves out what has its default. Empty: all options.
  Fields defaults = {};
};

// Of which run and machine; one row per case: the options that vary, then what the cases are judged
// by (median over launches), its interval or range, its ratio to the best one, and the other
// columns; failed cases with their reasons, skipped ones in a note. Below it findings, notes, and
// last the answer: which case is best. Throws ConfigError, as render() does, when `style` names a
// column or option that is not there.
[[nodiscard]] std::string render_table(const record::Results& results, const TableStyle& style);

enum class Format : std::uint8_t { kTable, kCsv, kJson, kMarkdown };
[[nodiscard]] std::string render(const record::Results& results, Format format,
                                 const TableStyle& style);
// The same in pieces: of a hundred thousand cases CSV and JSON have hundreds of MB. Throws before
// the first one.
void write_results(const record::Results& results, Format format, const TableStyle& style,
                   const text::TextSink& sink);

}  // namespace stepbench::report
