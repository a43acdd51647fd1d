// SPDX-License-Identifier: Apache-2.0
// A table as values: columns that say what is done where there is no room for them, and rows of
// cells, each with its words and, where it is one, its number.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/document/tone.h"

namespace stepbench::document {

// What is done to a table that is too wide for a terminal, in the order of these numbers.
struct Column {
  std::string head;
  bool left = false;  // words stand to the left, numbers to the right
  std::string unit = {};
  int drop_at = 0;    // the column is left out; 0: never
  int shrink_at = 0;  // its cells are cut, to no less than `shrink_to`; 0: never
  std::size_t shrink_to = 8;
  bool shrink_inside = false;  // out of their middle, where their ends tell them apart

  // "step [ms]"
  [[nodiscard]] std::string full_head() const {
    return unit.empty() ? head : head + " [" + unit + ']';
  }
};

// A column of words.
[[nodiscard]] inline Column words(std::string head) {
  return {.head = std::move(head), .left = true};
}

struct Cell {
  Cell(std::string words, std::optional<double> number = {})  // NOLINT: words are a cell
      : text(std::move(words)), value(number) {}
  Cell(const char* words) : text(words) {}       // NOLINT: words are a cell
  Cell(std::string_view words) : text(words) {}  // NOLINT: words are a cell

  std::string text;
  std::optional<double> value = {};  // what the column is sorted by, in one unit of the column
  // Where a page leads from here: an address of the web, or the name of a page beside it.
  std::string link = {};
};

struct TableRow {
  std::vector<Cell> cells;  // one for each column, or fewer, and then `instead`
  Tone tone = Tone::kPlain;
  std::string instead = {};
};

struct Table {
  std::string title = {};
  std::string aside = {};  // "window host_step"
  std::vector<Column> columns = {};
  std::vector<TableRow> rows = {};
};

// Leaves out the column where no row has words in it.
void drop_if_empty(Table& table, std::size_t column);

}  // namespace stepbench::document
