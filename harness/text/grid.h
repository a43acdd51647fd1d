// SPDX-License-Identifier: Apache-2.0
// Cells -> aligned text that fits a terminal, or Markdown. What stands in them is made printable
// (printable.h). Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace stepbench::text {

enum class Align : bool { kLeft, kRight };
enum class Tint : unsigned char { kNone, kBest, kFailed, kDim };

// What is done to a table that is too wide, in the order of these numbers.
struct GridColumn {
  std::string head;
  Align align = Align::kRight;
  int drop_at = 0;    // the column is left out; 0: never
  int shrink_at = 0;  // its cells are cut, to no less than `shrink_to`; 0: never
  std::size_t shrink_to = 8;
  bool shrink_inside = false;  // out of their middle, where their ends tell them apart
};

struct GridRow {
  std::vector<std::string> cells;  // one for each column, or fewer, and then `instead`
  Tint tint = Tint::kNone;
  std::string instead = {};
};

struct Grid {
  std::vector<GridColumn> columns;
  std::vector<GridRow> rows;
};

struct DrawnGrid {
  std::string text;
  std::vector<std::string> dropped;  // heads of columns for which there was no room
};

[[nodiscard]] DrawnGrid draw(Grid grid, std::size_t terminal_columns, bool colour);
[[nodiscard]] std::string draw_markdown(const Grid& grid);
// Rows as aligned columns without a rule, each column of numbers to the right. The first row is the
// head; every row has as many cells.
[[nodiscard]] std::string align(const std::vector<std::vector<std::string>>& rows);
// A bar of eighths of a cell, `cells` long at share 1.
[[nodiscard]] std::string bar(double share, std::size_t cells);
[[nodiscard]] std::string tinted(std::string text, Tint tint, bool colour);

}  // namespace stepbench::text
