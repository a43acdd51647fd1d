// SPDX-License-Identifier: Apache-2.0
#include "harness/report/history_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "harness/report/series_names.h"
#include "harness/text/utf8.h"

namespace stepbench {
namespace {

constexpr std::size_t kRows = 8;        // of text
constexpr std::size_t kDotsInRow = 4;   // of braille, one above the other
constexpr std::size_t kLabelEvery = 3;  // rows between two labels of the axis
constexpr double kLeastSpan = 0.02;     // of the level: less would show noise as mountains
constexpr std::size_t kDateWidth = 10;

// Dots of the cell by column and row from above; U+2800 is the empty one.
constexpr std::array<std::array<std::uint8_t, kDotsInRow>, 2> kDots = {
    {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};

std::string braille(std::uint8_t dots) {
  // U+2800 to U+28FF in UTF-8.
  std::string text = "\xE2";
  text += static_cast<char>(0xA0 + (dots >> 6U));
  text += static_cast<char>(0x80 + (dots & 0x3FU));
  return text;
}

struct Axis {
  double low = 0;
  double high = 1;
  // From above, in dots.
  [[nodiscard]] std::size_t dot(double value) const {
    const double share = (high - value) / (high - low);
    const double dots = std::round(share * static_cast<double>(kRows * kDotsInRow - 1));
    return static_cast<std::size_t>(
        std::clamp(dots, 0.0, static_cast<double>(kRows * kDotsInRow - 1)));
  }
  // In the middle of a row of text.
  [[nodiscard]] double value(std::size_t row) const {
    return high - (high - low) * (static_cast<double>(row) + 0.5) / static_cast<double>(kRows);
  }
};

std::optional<Axis> axis_of(const std::vector<ChartNight>& nights) {
  std::optional<Axis> axis;
  for (const ChartNight& night : nights) {
    if (!night.value || !std::isfinite(*night.value)) continue;
    if (!axis) axis = Axis{*night.value, *night.value};
    axis->low = std::min(axis->low, *night.value);
    axis->high = std::max(axis->high, *night.value);
  }
  if (!axis) return axis;
  const double middle = (axis->low + axis->high) / 2;
  const double least = middle == 0 ? 1 : kLeastSpan * std::abs(middle);
  if (axis->high - axis->low < least) *axis = {middle - least / 2, middle + least / 2};
  return axis;
}

std::string padded_left(const std::string& text, std::size_t cells) {
  return std::string(cells - std::min(cells, width(text)), ' ') + text;
}

// Texts at their columns; one that has no room goes as far left as the one before allows.
std::string marks_line(const std::vector<std::pair<std::size_t, std::string>>& marks) {
  std::string line;
  for (const auto& [column, text] : marks) {
    const std::size_t used = width(line);
    if (used > column) {
      line += text.size() > 1 ? " " + text : "";
      continue;
    }
    line += std::string(column - used, ' ') + text;
  }
  return line;
}

}  // namespace

std::string draw_chart(const std::vector<ChartNight>& all, const std::string& unit,
                       const std::vector<ChartMarks>& marks) {
  const std::size_t first = all.size() - std::min(all.size(), kChartNights);
  const std::vector<ChartNight> nights(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
  const auto axis = axis_of(nights);
  if (!axis) return {};
  const bool wide = nights.size() <= kChartColumns;  // a cell for each night
  const auto column_of = [&](std::size_t night) { return wide ? night : night / 2; };
  const std::size_t columns = column_of(nights.size() - 1) + 1;

  std::vector<std::vector<std::uint8_t>> cells(kRows, std::vector<std::uint8_t>(columns, 0));
  for (std::size_t i = 0; i < nights.size(); ++i) {
    if (!nights[i].value || !std::isfinite(*nights[i].value)) continue;
    const std::size_t dot = axis->dot(*nights[i].value);
    std::uint8_t& cell = cells[dot / kDotsInRow][column_of(i)];
    for (std::size_t side = 0; side < 2; ++side) {
      if (wide || side == i % 2)
        cell = static_cast<std::uint8_t>(cell | kDots[side][dot % kDotsInRow]);
    }
  }

  std::vector<std::string> labels(kRows);
  std::size_t label_width = 0;
  for (std::size_t row = 0; row < kRows; row += kLabelEvery) {
    labels[row] = amount_text(axis->value(row), unit);
  }
  labels[kRows - 1] = amount_text(axis->value(kRows - 1), unit);
  if ((kRows - 1) % kLabelEvery != 0) labels[(kRows - 1) / kLabelEvery * kLabelEvery].clear();
  for (const std::string& label : labels) label_width = std::max(label_width, width(label));
  for (const ChartMarks& line : marks) label_width = std::max(label_width, width(line.head));

  std::string text;
  for (std::size_t row = 0; row < kRows; ++row) {
    text += padded_left(labels[row], label_width) + (labels[row].empty() ? " │" : " ┤");
    for (const std::uint8_t cell : cells[row]) text += cell == 0 ? " " : braille(cell);
    while (text.back() == ' ') text.pop_back();
    text += '\n';
  }
  text += std::string(label_width, ' ') + " └";
  for (std::size_t i = 0; i < columns; ++i) text += "─";
  text += '\n' + std::string(label_width + 2, ' ') + nights.front().date;
  if (columns >= 2 * kDateWidth + 2) {
    text += std::string(columns - 2 * kDateWidth, ' ') + nights.back().date;
  } else if (nights.size() > 1) {
    text += " to " + nights.back().date;
  }
  text += '\n';
  for (const ChartMarks& line : marks) {
    std::vector<std::pair<std::size_t, std::string>> placed;
    for (const auto& [night, mark] : line.marks) {
      if (night >= first && night < all.size()) placed.emplace_back(column_of(night - first), mark);
    }
    if (placed.empty()) continue;
    text += padded_left(line.head, label_width) + "  " + marks_line(placed) + '\n';
  }
  return text;
}

}  // namespace stepbench
