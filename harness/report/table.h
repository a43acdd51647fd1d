// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "harness/record/reader.h"

namespace stepbench {

struct TableStyle {
  bool colour = false;
  int columns = 100;  // terminal width
};

// One row per case: the options that vary, then step median of launch medians, its interval over
// launches (or range), data-wait share, samples/s; failed and skipped cases with their reasons;
// notes below.
[[nodiscard]] std::string render_table(const Results& results, const TableStyle& style);

enum class Format : std::uint8_t { kTable, kCsv, kJson, kMarkdown };
[[nodiscard]] std::string render(const Results& results, Format format, const TableStyle& style);

}  // namespace stepbench
