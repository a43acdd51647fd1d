// SPDX-License-Identifier: Apache-2.0
#include "harness/report/history.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/format.h"
#include "harness/report/internal/html/chart_json.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kRows = 8;       // lines of text
constexpr std::size_t kDotsInRow = 4;  // braille dots per line, one above the other
constexpr std::size_t kDateWidth = 10;
constexpr std::size_t kLabelEvery = 3;  // lines between two axis labels
constexpr double kMinSpan = 0.02;       // share of the level

// Dot bits by column and row from above; U+2800 is the empty cell.
constexpr std::array<std::array<std::uint8_t, kDotsInRow>, 2> kDots = {
    {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};

std::string braille(std::uint8_t dots) {
  // U+2800 to U+28FF in UTF-8.
  std::string text = "\xE2";
  text += static_cast<char>(0xA0 + (dots >> 6U));
  text += static_cast<char>(0x80 + (dots & 0x3FU));
  return text;
}

// Values of the lowest and the highest line of a chart.
struct ChartScale {
  double low = 0;
  double high = 1;
  // Index, from above, of the one of `parts` equal parts that contains the value.
  [[nodiscard]] std::size_t part(double value, std::size_t parts) const {
    const auto last = static_cast<double>(parts - 1);
    const double share = (high - value) / (high - low);
    return static_cast<std::size_t>(std::clamp(std::round(share * last), 0.0, last));
  }
  // Value in the middle of a line; lines are counted from above.
  [[nodiscard]] double value(std::size_t line, std::size_t lines) const {
    return high - (high - low) * (static_cast<double>(line) + 0.5) / static_cast<double>(lines);
  }
};

// Covers all finite values, and at least 2 % of their level: less would exaggerate noise. nullopt
// without finite values.
std::optional<ChartScale> chart_scale(std::span<const double> values) {
  std::optional<ChartScale> scale;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    if (!scale) scale = ChartScale{value, value};
    scale->low = std::min(scale->low, value);
    scale->high = std::max(scale->high, value);
  }
  if (!scale) return scale;
  const double middle = (scale->low + scale->high) / 2;
  const double least = middle == 0 ? 1 : kMinSpan * std::abs(middle);
  if (scale->high - scale->low < least) *scale = {middle - least / 2, middle + least / 2};
  return scale;
}

// Label of each line, or empty. `unit`: "ns" and "bytes" are scaled for people.
std::vector<std::string> chart_labels(const ChartScale& scale, std::size_t lines,
                                      std::string_view unit) {
  std::vector<std::string> labels(lines);
  for (std::size_t line = 0; line < lines; line += kLabelEvery) {
    labels[line] = amount_text(scale.value(line, lines), unit);
  }
  const std::size_t last = lines - 1;
  labels[last] = amount_text(scale.value(last, lines), unit);
  if (last % kLabelEvery != 0) labels[last / kLabelEvery * kLabelEvery].clear();
  return labels;
}

std::string padded_left(const std::string& text, std::size_t cells) {
  return std::string(cells - std::min(cells, text::width(text)), ' ') + text;
}

// Puts the labels and a vertical axis before the lines, and a horizontal axis of `columns` below.
std::string framed_chart(const std::vector<std::string>& lines,
                         const std::vector<std::string>& labels, std::size_t label_width,
                         std::size_t columns) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += padded_left(labels[i], label_width) + (labels[i].empty() ? " │" : " ┤") + lines[i];
    while (text.back() == ' ') text.pop_back();
    text += '\n';
  }
  text += std::string(label_width, ' ') + " └";
  for (std::size_t i = 0; i < columns; ++i) text += "─";
  return text + '\n';
}

// Writes texts at their columns, ascending. Without room a text is shifted to the right of the one
// before it, and a single character is omitted.
std::string marks_line(const std::vector<std::pair<std::size_t, std::string>>& marks) {
  std::string line;
  for (const auto& [column, text] : marks) {
    const std::size_t used = text::width(line);
    if (used > column) {
      line += text.size() > 1 ? " " + text : "";
      continue;
    }
    line += std::string(column - used, ' ') + text;
  }
  return line;
}

std::optional<ChartScale> scale_of(std::span<const HistoryNight> nights) {
  std::vector<double> values;
  for (const HistoryNight& night : nights) {
    if (night.point != nullptr) values.push_back(night.point->value);
  }
  return chart_scale(values);
}

// A line of marks below the chart.
struct MarkLine {
  const char* head;
  std::string (*mark)(const HistoryNight& night);  // empty: none at this night
};
constexpr std::array kMarkLines = {
    MarkLine{"told",
             [](const HistoryNight& night) -> std::string {
               return night.judged && night.judged->reported ? "^" : "";
             }},
    MarkLine{
        "suspect",
        [](const HistoryNight& night) -> std::string { return night.is_suspect() ? "?" : ""; }},
    MarkLine{"alert", [](const HistoryNight& night) { return night.alert; }},
    MarkLine{"busy",
             [](const HistoryNight& night) -> std::string { return night.busy ? "!" : ""; }},
};

// Axis scale with units, dots of braille, dates and marks below, for the newest kChartNights; up to
// kChartColumns nights get one cell each. Empty without any value.
std::string draw_chart(const HistoryView& view) {
  const std::span all(view.nights);
  const auto nights = all.last(std::min(all.size(), kChartNights));
  const auto scale = scale_of(nights);
  if (!scale) return {};
  const bool wide = nights.size() <= kChartColumns;  // one cell per night
  const auto column_of = [&](std::size_t night) { return wide ? night : night / 2; };
  const std::size_t columns = column_of(nights.size() - 1) + 1;

  std::vector<std::vector<std::uint8_t>> cells(kRows, std::vector<std::uint8_t>(columns, 0));
  for (std::size_t i = 0; i < nights.size(); ++i) {
    if (!has_value(nights[i])) continue;
    const std::size_t dot = scale->part(nights[i].point->value, kRows * kDotsInRow);
    std::uint8_t& cell = cells[dot / kDotsInRow][column_of(i)];
    for (std::size_t side = 0; side < 2; ++side) {
      if (wide || side == i % 2)
        cell = static_cast<std::uint8_t>(cell | kDots[side][dot % kDotsInRow]);
    }
  }

  const std::vector<std::string> labels = chart_labels(*scale, kRows, view.series->series.unit);
  std::size_t label_width = 0;
  for (const std::string& label : labels) label_width = std::max(label_width, text::width(label));
  for (const MarkLine& line : kMarkLines)
    label_width = std::max(label_width, text::width(line.head));
  std::vector<std::string> lines(kRows);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (const std::uint8_t cell : cells[row]) lines[row] += cell == 0 ? " " : braille(cell);
  }

  std::string text = framed_chart(lines, labels, label_width, columns);
  text += std::string(label_width + 2, ' ') + night_date(*nights.front().run);
  if (columns >= 2 * kDateWidth + 2) {
    text += std::string(columns - 2 * kDateWidth, ' ') + night_date(*nights.back().run);
  } else if (nights.size() > 1) {
    text += " to " + night_date(*nights.back().run);
  }
  text += '\n';
  for (const MarkLine& line : kMarkLines) {
    std::vector<std::pair<std::size_t, std::string>> marks;
    for (std::size_t i = 0; i < nights.size(); ++i) {
      if (std::string mark = line.mark(nights[i]); !mark.empty()) {
        marks.emplace_back(column_of(i), std::move(mark));
      }
    }
    if (marks.empty()) continue;
    text += formatted("{}  {}\n", padded_left(line.head, label_width), marks_line(marks));
  }
  return text;
}

}  // namespace

std::optional<document::Figure> series_figure(const HistoryView& view, const SeriesNames& names) {
  const auto drawn = std::ranges::count_if(view.nights, has_value);
  if (drawn == 0) return std::nullopt;
  const nights::TrackedSeries& series = view.series->series;
  json::JsonText json = chart("series");
  json.text("id", series.id).text("title", metric_label(series.metric)).close_object();
  const std::string name = names.name(series);
  std::string alt = name + " over " + text::counted(drawn, "night");
  for (const nights::Alert* alert : view.alerts) alt += "; " + alert_words(*alert);
  return document::Figure{
      .title = name,
      .alt = alt + '.',
      .in_text = draw_chart(view),
      .json = json.take(),
      .note = view.nights.size() == kMaxNights
                  ? formatted("The newest {} nights.", text::with_separators(kMaxNights))
                  : ""};
}

}  // namespace stepbench::report
