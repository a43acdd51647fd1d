// SPDX-License-Identifier: Apache-2.0
// Numbers for people. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace stepbench {

// 0.00123, 1.23, 12.3, 1230: at least `digits` significant digits, never an exponent.
[[nodiscard]] std::string significant(double value, int digits = 3);
// Both with as many digits, 3 to 6, as it takes to tell them apart.
[[nodiscard]] std::string interval_text(double low, double high);
[[nodiscard]] std::string percent(double share);                // 0.123 -> "12.3"
[[nodiscard]] std::string with_separators(std::int64_t count);  // 12,345

struct TimeUnit {
  std::string_view name;
  double ns = 1;
};
// The unit in which the middle one of these times reads best.
[[nodiscard]] TimeUnit unit_for(std::span<const double> times_ns);
[[nodiscard]] std::string duration(double ns);      // "12.3 ms"
[[nodiscard]] std::string byte_text(double bytes);  // "1.50 GiB"

// A bar of eighths of a cell, `cells` long at share 1.
[[nodiscard]] std::string bar(double share, std::size_t cells);

// Terminal cells that UTF-8 text takes, one for each code point.
[[nodiscard]] std::size_t width(std::string_view text);
// At most `cells` wide, the cut marked by "…".
[[nodiscard]] std::string shortened(std::string_view text, std::size_t cells);

}  // namespace stepbench
