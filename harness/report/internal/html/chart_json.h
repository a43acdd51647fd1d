// SPDX-License-Identifier: Apache-2.0
// The input of a figure's script: its chart and the chart's data; data that several figures share
// is stored once in the page's data, under `charts`. And the options of all chapters with
// charts. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/json/json_text.h"

namespace stepbench::report {

inline constexpr double kNsPerMs = 1e6;

// Opens {"chart":"heat". The caller adds the data, then calls close_object().
[[nodiscard]] json::JsonText chart(std::string_view name);

// With enough digits for any screen; null if it is not finite.
[[nodiscard]] std::string drawn_number(double value);

// Adds an array of the value of each element: texts, whole numbers, or numbers to be drawn.
template <typename Range, typename ValueOf = std::identity>
void add_each(json::JsonText& json, std::string_view key, const Range& range,
              const ValueOf& value_of = {}) {
  json.open_array(key);
  for (const auto& each : range) {
    const auto& value = std::invoke(value_of, each);
    using Of = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_integral_v<Of>) {
      json.integer({}, static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<Of>) {
      json.json({}, drawn_number(value));
    } else {
      json.text({}, value);
    }
  }
  json.close_array();
}

// Shortens text for charts by cutting its middle.
[[nodiscard]] std::string chart_text(std::string_view text);

// Thins out long series: returns the indexes of the first and last value and of the minimum and
// maximum of each stretch. All indexes for at most `points` values; keeps at least 4.
[[nodiscard]] std::vector<std::size_t> thin_out(std::span<const double> values, std::size_t points);

struct DrawOptions {
  std::size_t points = 5000;  // largest number of steps drawn in one figure
  // Command that shows a case, with the given files; " --case ID" is appended.
  std::string show_command = "stepbench show RUN";
};

}  // namespace stepbench::report
