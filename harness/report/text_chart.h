// SPDX-License-Identifier: Apache-2.0
// Shared parts of text charts: axis scale, labels, marks below. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepbench::report {

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
