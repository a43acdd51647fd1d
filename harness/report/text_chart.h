// SPDX-License-Identifier: Apache-2.0
// What charts of text share: the scale of their axis, its labels, marks below. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepbench::report {

// The values from the lowest to the highest line of a chart.
struct ChartScale {
  double low = 0;
  double high = 1;
  // Of `parts` equal parts, counted from above, the one the value is in.
  [[nodiscard]] std::size_t part(double value, std::size_t parts) const;
  // In the middle of a line, counted from above.
  [[nodiscard]] double value(std::size_t line, std::size_t lines) const;
};

// Holds all finite values, and at least 2 % of their level: less would show noise as mountains.
// nullopt without any finite value.
[[nodiscard]] std::optional<ChartScale> chart_scale(std::span<const double> values);

// For each line of the chart the value there, or nothing. `unit`: "ns" and "bytes" are scaled for
// people.
[[nodiscard]] std::vector<std::string> chart_labels(const ChartScale& scale, std::size_t lines,
                                                    std::string_view unit);
// The lines behind their labels, with the axis between them and another one, of `columns`, below.
[[nodiscard]] std::string framed_chart(const std::vector<std::string>& lines,
                                       const std::vector<std::string>& labels,
                                       std::size_t label_width, std::size_t columns);

// Texts at their columns, ascending; one that has no room goes as far left as the one before
// allows, and a single character is left out.
[[nodiscard]] std::string marks_line(const std::vector<std::pair<std::size_t, std::string>>& marks);
[[nodiscard]] std::string padded_left(const std::string& text, std::size_t cells);

}  // namespace stepbench::report
