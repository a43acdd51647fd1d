// SPDX-License-Identifier: Apache-2.0
// A series as a text chart: axis scale with units, dots of braille, dates and marks below. Pure;
// any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
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

}  // namespace stepbench::report
