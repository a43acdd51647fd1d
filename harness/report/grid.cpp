// SPDX-License-Identifier: Apache-2.0
#include "harness/report/grid.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "harness/report/number_text.h"

namespace stepbench {
namespace {

constexpr std::size_t kGap = 2;

std::string_view escape(Tint tint) {
  switch (tint) {
    case Tint::kBest:
      return "\x1b[32m";
    case Tint::kFailed:
      return "\x1b[31m";
    case Tint::kDim:
      return "\x1b[2m";
    case Tint::kNone:
      break;
  }
  return {};
}

std::size_t column_width(const Grid& grid, std::size_t column) {
  std::size_t widest = width(grid.columns[column].head);
  for (const GridRow& row : grid.rows) widest = std::max(widest, width(row.cells[column]));
  return widest;
}

std::size_t total_width(const Grid& grid) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    total += column_width(grid, i) + (i == 0 ? 0 : kGap);
  }
  return total;
}

void cut_cells(Grid& grid, std::size_t column, std::size_t cells) {
  GridColumn& head = grid.columns[column];
  head.head = shortened(head.head, cells);
  for (GridRow& row : grid.rows) row.cells[column] = shortened(row.cells[column], cells);
}

// Cuts the widest of the columns that may be cut. False when all are as narrow as they may be.
bool shrink(Grid& grid, std::size_t excess) {
  std::size_t best = grid.columns.size();
  std::size_t most = 0;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    const std::size_t now = column_width(grid, i);
    const std::size_t least = grid.columns[i].shrink_to;
    if (least == 0 || now <= least || now - least <= most) continue;
    most = now - least;
    best = i;
  }
  if (best == grid.columns.size()) return false;
  cut_cells(grid, best, column_width(grid, best) - std::min(most, excess));
  return true;
}

bool drop(Grid& grid, std::vector<std::string>& dropped) {
  std::size_t least = grid.columns.size();
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    if (grid.columns[i].keep == 0) continue;
    if (least == grid.columns.size() || grid.columns[i].keep < grid.columns[least].keep) least = i;
  }
  if (least == grid.columns.size()) return false;
  const auto at = static_cast<std::ptrdiff_t>(least);
  dropped.push_back(grid.columns[least].head);
  grid.columns.erase(grid.columns.begin() + at);
  for (GridRow& row : grid.rows) row.cells.erase(row.cells.begin() + at);
  return true;
}

std::string padded(const std::string& text, std::size_t cells, Align align) {
  const std::string blanks(cells - std::min(cells, width(text)), ' ');
  return align == Align::kLeft ? text + blanks : blanks + text;
}

std::string line_of(const Grid& grid, const std::vector<std::string>& cells,
                    const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line.append(kGap, ' ');
    line += padded(cells[i], widths[i], grid.columns[i].align);
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string markdown_cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

}  // namespace

std::string tinted(std::string text, Tint tint, bool colour) {
  if (!colour || tint == Tint::kNone) return text;
  return std::string(escape(tint)) + std::move(text) + "\x1b[0m";
}

DrawnGrid draw(Grid grid, std::size_t terminal_columns, bool colour) {
  DrawnGrid drawn;
  for (std::size_t total = 0; (total = total_width(grid)) > terminal_columns;) {
    if (!shrink(grid, total - terminal_columns) && !drop(grid, drawn.dropped)) break;
  }
  std::vector<std::size_t> widths;
  std::vector<std::string> heads;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    widths.push_back(column_width(grid, i));
    heads.push_back(grid.columns[i].head);
  }
  const std::string head = line_of(grid, heads, widths);
  const std::size_t rule = std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
                           kGap * (widths.empty() ? 0 : widths.size() - 1);
  drawn.text = head + '\n';
  for (std::size_t i = 0; i < rule; ++i) drawn.text += "─";
  drawn.text += '\n';
  for (const GridRow& row : grid.rows) {
    drawn.text += tinted(line_of(grid, row.cells, widths), row.tint, colour) + '\n';
  }
  return drawn;
}

std::string draw_markdown(const Grid& grid) {
  std::string text = "|";
  for (const GridColumn& column : grid.columns) text += ' ' + markdown_cell(column.head) + " |";
  text += "\n|";
  for (const GridColumn& column : grid.columns)
    text += column.align == Align::kRight ? "---:|" : "---|";
  text += '\n';
  for (const GridRow& row : grid.rows) {
    text += '|';
    for (const std::string& cell : row.cells) text += ' ' + markdown_cell(cell) + " |";
    text += '\n';
  }
  return text;
}

}  // namespace stepbench
