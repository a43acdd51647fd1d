// SPDX-License-Identifier: Apache-2.0
// A comparison for people: on a terminal, or as a comment on a pull request.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/compare/comparison.h"
#include "harness/report/table.h"
#include "harness/text/grid.h"

namespace stepbench::report {

// Rows that say ok are left out beyond this many rows, unless all are asked for.
inline constexpr std::size_t kMaxOkRows = 30;
inline constexpr std::size_t kMaxRows = 200;  // of the others; the JSON form has every one

[[nodiscard]] std::string comparison_table(const compare::Comparison& comparison,
                                           const TableStyle& style, bool all);
// Begins with a hidden marker, by which a bot finds its own comment again.
[[nodiscard]] std::string comparison_markdown(const compare::Comparison& comparison, bool all);

// All that is said of a comparison, piece by piece, for other forms: every row, every line.
struct ComparisonParts {
  std::string title = {};
  std::vector<std::string> design = {};  // how it was measured, and what was tested
  text::Grid grid = {};
  std::vector<std::string> legend = {};
  std::vector<std::string> causes = {};
  std::vector<std::string> remarks = {};
  std::string conclusion = {};  // lines
};
[[nodiscard]] ComparisonParts comparison_parts(const compare::Comparison& comparison);

// What stands below the table: where the time of changed steps went; warnings, gates and notes.
struct ComparisonLines {
  std::vector<std::string> causes;
  std::vector<std::string> remarks;
};
[[nodiscard]] ComparisonLines comparison_lines(const compare::Comparison& comparison, bool all);

}  // namespace stepbench::report
