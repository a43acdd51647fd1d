// SPDX-License-Identifier: Apache-2.0
// A table as a list of columns over rows: a column has its head and its cell of a row, and both are
// left out together. Pure; any thread.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "harness/document/table.h"

namespace stepbench::document {

template <typename Row>
struct Projected {
  Column column;
  std::function<Cell(const Row&)> cell;
  bool shown = true;
  bool if_filled = false;  // left out if all its cells are empty
};

template <typename Row>
[[nodiscard]] Table project(
    std::span<const Row> rows, std::vector<Projected<Row>> columns,
    const std::function<Tone(const std::type_identity_t<Row>&)>& tone = {}) {
  std::erase_if(columns, [&](const Projected<Row>& each) {
    return !each.shown || (each.if_filled && std::ranges::all_of(rows, [&](const Row& row) {
                             return each.cell(row).text.empty();
                           }));
  });
  Table table;
  for (const Projected<Row>& each : columns) table.columns.push_back(each.column);
  for (const Row& row : rows) {
    TableRow& made = table.rows.emplace_back();
    if (tone) made.tone = tone(row);
    for (const Projected<Row>& each : columns) made.cells.push_back(each.cell(row));
  }
  return table;
}

}  // namespace stepbench::document
