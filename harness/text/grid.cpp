// SPDX-License-Identifier: Apache-2.0
#include "harness/text/grid.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "harness/text/printable.h"
#include "harness/text/utf8.h"

namespace stepbench::text {
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
  for (const GridRow& row : grid.rows) {
    if (column < row.cells.size()) widest = std::max(widest, width(row.cells[column]));
  }
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
  const auto cut = head.shrink_inside ? shortened_inside : shortened;
  head.head = shortened(head.head, cells);
  for (GridRow& row : grid.rows) {
    if (column < row.cells.size()) row.cells[column] = cut(row.cells[column], cells);
  }
}

bool can_shrink(const Grid& grid, std::size_t column) {
  return grid.columns[column].shrink_at > 0 &&
         column_width(grid, column) > grid.columns[column].shrink_to;
}

void drop(Grid& grid, std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  grid.columns.erase(grid.columns.begin() + at);
  for (GridRow& row : grid.rows) {
    if (column < row.cells.size()) row.cells.erase(row.cells.begin() + at);
  }
}

// Does the next of the things that may be done. False when none is left.
bool narrow(Grid& grid, std::size_t excess, std::vector<std::string>& dropped) {
  constexpr int kNever = std::numeric_limits<int>::max();
  int first = kNever;
  std::size_t column = 0;
  bool cut = false;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    const GridColumn& each = grid.columns[i];
    if (can_shrink(grid, i) && each.shrink_at < first) {
      first = each.shrink_at;
      column = i;
      cut = true;
    }
    if (each.drop_at > 0 && each.drop_at < first) {
      first = each.drop_at;
      column = i;
      cut = false;
    }
  }
  if (first == kNever) return false;
  if (cut) {
    const std::size_t now = column_width(grid, column);
    const std::size_t least = grid.columns[column].shrink_to;
    cut_cells(grid, column, now - std::min(excess, now - least));
  } else {
    dropped.push_back(grid.columns[column].head);
    drop(grid, column);
  }
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

void make_printable(Grid& grid) {
  for (GridColumn& column : grid.columns) column.head = printable(column.head);
  for (GridRow& row : grid.rows) {
    for (std::string& cell : row.cells) cell = printable(cell);
    row.instead = printable(row.instead);
  }
}

bool is_number(const std::string& text) {
  return text.empty() || text == "-" ||
         (std::isdigit(static_cast<unsigned char>(text.back())) != 0 &&
          text.find_first_not_of("0123456789.,-+e") == std::string::npos);
}

std::vector<std::size_t> widths_of(const Grid& grid) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) widths.push_back(column_width(grid, i));
  return widths;
}

std::vector<std::string> heads_of(const Grid& grid) {
  std::vector<std::string> heads;
  for (const GridColumn& column : grid.columns) heads.push_back(column.head);
  return heads;
}

}  // namespace

std::string tinted(std::string text, Tint tint, bool colour) {
  if (!colour || tint == Tint::kNone) return text;
  return std::string(escape(tint)) + std::move(text) + "\x1b[0m";
}

DrawnGrid draw(Grid grid, std::size_t terminal_columns, bool colour) {
  DrawnGrid drawn;
  make_printable(grid);
  for (std::size_t total = total_width(grid); total > terminal_columns; total = total_width(grid)) {
    if (!narrow(grid, total - terminal_columns, drawn.dropped)) break;
  }
  const std::vector<std::size_t> widths = widths_of(grid);
  const std::string head = line_of(grid, heads_of(grid), widths);
  const std::size_t rule = std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
                           kGap * (widths.empty() ? 0 : widths.size() - 1);
  drawn.text = head + '\n';
  for (std::size_t i = 0; i < rule; ++i) drawn.text += "─";
  drawn.text += '\n';
  for (const GridRow& row : grid.rows) {
    std::string line = line_of(grid, row.cells, widths);
    if (!row.instead.empty()) {
      std::size_t start = 0;
      for (std::size_t i = 0; i < row.cells.size(); ++i) start += widths[i] + kGap;
      line.append(start - std::min(start, width(line)), ' ');
      line += shortened(row.instead, terminal_columns - std::min(terminal_columns, start));
    }
    drawn.text += tinted(line, row.tint, colour) + '\n';
  }
  return drawn;
}

std::string align(const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return {};
  Grid grid;
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    const bool numbers = std::all_of(rows.begin() + 1, rows.end(),
                                     [&](const auto& row) { return is_number(row[i]); });
    grid.columns.push_back({rows.front()[i], numbers ? Align::kRight : Align::kLeft});
  }
  for (const auto& row : std::span(rows).subspan(1)) grid.rows.push_back({row});
  make_printable(grid);
  const std::vector<std::size_t> widths = widths_of(grid);
  std::string text = line_of(grid, heads_of(grid), widths) + '\n';
  for (const GridRow& row : grid.rows) text += line_of(grid, row.cells, widths) + '\n';
  return text;
}

std::string bar(double share, std::size_t cells) {
  constexpr std::array<std::string_view, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double clamped = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  const auto eighths =
      static_cast<std::size_t>(std::lround(clamped * static_cast<double>(cells) * 8));
  std::string drawn;
  for (std::size_t i = 0; i < eighths / 8; ++i) drawn += "█";
  return drawn + std::string(kParts.at(eighths % 8));
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
    for (std::size_t i = 0; i < grid.columns.size(); ++i) {
      std::string cell = i < row.cells.size() ? row.cells[i] : "";
      if (i == row.cells.size()) cell = row.instead;
      text += ' ' + markdown_cell(cell) + " |";
    }
    text += '\n';
  }
  return text;
}

}  // namespace stepbench::text
