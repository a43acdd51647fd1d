// SPDX-License-Identifier: Apache-2.0
// A series as a text chart: axis scale with units, dots of braille, dates and marks below. Pure;
// any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/report/history_view.h"

namespace stepbench::report {

inline constexpr std::size_t kChartColumns = 60;
inline constexpr std::size_t kChartNights = 2 * kChartColumns;  // a cell holds two nights

struct ChartNight {
  std::string date = {};             // 2026-01-31
  std::optional<double> value = {};  // nullopt: a night without a point
};

// A line of marks below the chart, each at the position of its night.
struct ChartMarks {
  std::string head = {};                                        // "alerts"
  std::vector<std::pair<std::size_t, std::string>> marks = {};  // night, text; ascending
};

// Draws at most the newest kChartNights; up to kChartColumns nights get one cell each. `unit`: of
// the values; "ns" and "bytes" are scaled for people. Empty without any value.
[[nodiscard]] std::string draw_chart(const std::vector<ChartNight>& nights, const std::string& unit,
                                     const std::vector<ChartMarks>& marks);
// Draws a series with marks for the events of its nights.
[[nodiscard]] std::string draw_chart(const HistoryView& view);

// Parts of text charts: axis scale, labels, marks below.

// Values of the lowest and the highest line of a chart.
struct ChartScale {
  double low = 0;
  double high = 1;
  // Index, from above, of the one of `parts` equal parts that contains the value.
  [[nodiscard]] std::size_t part(double value, std::size_t parts) const;
  // Value in the middle of a line; lines are counted from above.
  [[nodiscard]] double value(std::size_t line, std::size_t lines) const;
};

// Covers all finite values, and at least 2 % of their level: less would exaggerate noise. nullopt
// without finite values.
[[nodiscard]] std::optional<ChartScale> chart_scale(std::span<const double> values);

// Label of each line, or empty. `unit`: "ns" and "bytes" are scaled for people.
[[nodiscard]] std::vector<std::string> chart_labels(const ChartScale& scale, std::size_t lines,
                                                    std::string_view unit);
// Puts the labels and a vertical axis before the lines, and a horizontal axis of `columns` below.
[[nodiscard]] std::string framed_chart(const std::vector<std::string>& lines,
                                       const std::vector<std::string>& labels,
                                       std::size_t label_width, std::size_t columns);

// Writes texts at their columns, ascending. Without room a text is shifted to the right of the one
// before it, and a single character is omitted.
[[nodiscard]] std::string marks_line(const std::vector<std::pair<std::size_t, std::string>>& marks);
[[nodiscard]] std::string padded_left(const std::string& text, std::size_t cells);

}  // namespace stepbench::report
