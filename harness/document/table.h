// SPDX-License-Identifier: Apache-2.0
// A table as values: columns with rules for narrow terminals, and rows of cells, each with its text
// and, if it is a number, its value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/document/tone.h"

namespace stepbench::document {

// When a table is too wide for a terminal, columns are dropped and shrunk in ascending order of
// `drop_at` and `shrink_at`.
struct Column {
  std::string head;
  bool left = false;  // left-aligned, for words; numbers are right-aligned
  std::string unit = {};
  int drop_at = 0;    // when the column is dropped; 0: never
  int shrink_at = 0;  // when its cells are cut, to no less than `shrink_to`; 0: never
  std::size_t shrink_to = 8;
  bool shrink_inside = false;  // cut the middle, for cells that differ at their ends

  // "step [ms]"
  [[nodiscard]] std::string full_head() const {
    return unit.empty() ? head : head + " [" + unit + ']';
  }
};

[[nodiscard]] inline Column words(std::string head) {
  return {.head = std::move(head), .left = true};
}

struct Cell {
  Cell(std::string words, std::optional<double> number = {})  // NOLINT: words are a cell
      : text(std::move(words)), value(number) {}
  Cell(const char* words) : text(words) {}       // NOLINT: words are a cell
  Cell(std::string_view words) : text(words) {}  // NOLINT: words are a cell

  std::string text;
  std::optional<double> value = {};  // sort key, in one unit for the whole column
  // Link target: a web address or the name of a page in the same folder.
  std::string link = {};
};

struct TableRow {
  std::vector<Cell> cells;  // one per column; or fewer, followed by `instead`
  Tone tone = Tone::kPlain;
  std::string instead = {};
};

struct Table {
  std::string title = {};
  std::string subtitle = {};  // "window host_step"
  std::vector<Column> columns = {};
  std::vector<TableRow> rows = {};
};

// Removes the column if all its cells are empty.
void drop_if_empty(Table& table, std::size_t column);

}  // namespace stepbench::document
