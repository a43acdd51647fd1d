// SPDX-License-Identifier: Apache-2.0
// The table of cases and its exports: console, CSV, JSON, Markdown. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/record/reader.h"

namespace stepbench {

struct TableStyle {
  bool colour = false;
  int columns = 100;  // terminal width
  // An option or estimate to order rows by, "-NAME" largest first; empty: plan order.
  std::string sort = {};
  std::vector<std::string> select = {};  // CSV and JSON: only these columns; empty: all
};

// One row per case: the options that vary, then the median over launches of time / steps, its
// interval (or range), data-wait share, samples/s; failed and skipped cases with their reasons;
// notes below. Throws ConfigError, as render() does, when `style` names a column or option that is
// not there.
[[nodiscard]] std::string render_table(const Results& results, const TableStyle& style);

enum class Format : std::uint8_t { kTable, kCsv, kJson, kMarkdown };
[[nodiscard]] std::string render(const Results& results, Format format, const TableStyle& style);

}  // namespace stepbench
