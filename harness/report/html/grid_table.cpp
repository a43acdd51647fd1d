// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/grid_table.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <utility>

namespace stepbench::report {
namespace {

struct CellUnit {
  std::string_view name;
  double factor;
};
constexpr CellUnit kCellUnits[] = {{"ns", 1},       {"us", 1e3},     {"ms", 1e6},
                                   {"s", 1e9},      {"min", 60e9},   {"KiB", 1024.0},
                                   {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};

double factor_of(std::string_view unit) {
  const auto* found = std::find_if(std::begin(kCellUnits), std::end(kCellUnits),
                                   [&](const CellUnit& each) { return each.name == unit; });
  return found == std::end(kCellUnits) ? 1 : found->factor;
}

document::Tone tone_of(text::Tint tint) {
  if (tint == text::Tint::kBest) return document::Tone::kGood;
  return tint == text::Tint::kFailed ? document::Tone::kBad : document::Tone::kPlain;
}

}  // namespace

std::optional<double> cell_number(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('[')) text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::string digits;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_group = c == ',' && i + 3 < text.size() && i > 0 &&
                          std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0;
    if (is_group) continue;
    const bool is_part =
        std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || (c == '-' && i == 0);
    if (!is_part) break;
    digits += c;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  std::string_view unit = text.substr(i);
  if (!unit.starts_with(' ')) return value;
  unit.remove_prefix(1);
  return value * factor_of(unit.substr(0, unit.find(' ')));
}

document::Table page_table(const text::Grid& grid, std::string title) {
  document::Table table{.title = std::move(title)};
  for (const text::GridColumn& column : grid.columns) {
    table.columns.push_back({.head = column.head, .left = column.align == text::Align::kLeft});
  }
  for (const text::GridRow& row : grid.rows) {
    document::TableRow& made = table.rows.emplace_back();
    for (const std::string& cell : row.cells) made.cells.push_back({cell, cell_number(cell)});
    made.tone = tone_of(row.tint);
    made.instead = row.instead;
  }
  return table;
}

}  // namespace stepbench::report
