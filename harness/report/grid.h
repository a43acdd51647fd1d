// SPDX-License-Identifier: Apache-2.0
// Cells -> aligned text that fits a terminal, or Markdown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace stepbench {

enum class Align : bool { kLeft, kRight };
enum class Tint : unsigned char { kNone, kBest, kFailed, kDim };

struct GridColumn {
  std::string head;
  Align align = Align::kRight;
  int keep = 0;  // when too wide, the column with the smallest goes first; 0: never dropped
  std::size_t shrink_to =
      0;  // instead of being dropped, cells are cut to no less than this; 0: never
};

struct GridRow {
  std::vector<std::string> cells;  // one for each column
  Tint tint = Tint::kNone;
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
[[nodiscard]] std::string tinted(std::string text, Tint tint, bool colour);

}  // namespace stepbench
