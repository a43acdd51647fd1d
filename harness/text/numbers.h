// SPDX-License-Identifier: Apache-2.0
// Formats every number that people read: one function for each kind of quantity, each with its rule
// of precision. And parses a share. Pure; any thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::text {

// 0.00123, 1.23, 12.3, 1,230: at least `digits` significant digits, never an exponent.
[[nodiscard]] std::string significant(double value, int digits = 3);
// For settings and small counts: "2", "0.5", "12.25"; at most `decimals`, no trailing zeros.
[[nodiscard]] std::string short_number(double value, int decimals = 2);
// Both ends with the same number of digits, the fewest of 3 to 6 that tell them apart: "[41.2,
// 44.9]", "[1,195 to 1,209]".
[[nodiscard]] std::string interval_text(double low, double high);

// A share for a column whose head says percent: 0.123 -> "12.3", 1 -> "100". One decimal, none from
// 99.95 on.
[[nodiscard]] std::string percent(double share);
// A share for a sentence: "12.3 %", "100 %", "0.25 %". As above, but two decimals below one
// percent.
[[nodiscard]] std::string percent_text(double share);
// A relative change with its sign: 0.0123 -> "+1.23", -0.123 -> "-12.3". Two decimals below ten
// percent, else one; "inf" and "?" if it is not finite.
[[nodiscard]] std::string signed_percent(double change);

// 12,345
[[nodiscard]] std::string with_separators(std::int64_t count);
template <std::integral Count>
[[nodiscard]] std::string with_separators(Count count) {
  return with_separators(static_cast<std::int64_t>(count));
}
// An estimated count, rounded up to two digits: 1234 -> "1,300".
[[nodiscard]] std::string rough_count(double count);

struct TimeUnit {
  std::string_view name;
  double ns = 1;
};
// The unit that suits the median of these times.
[[nodiscard]] TimeUnit unit_for(std::span<const double> times_ns);
// A measured time with three digits: "12.3 ms".
[[nodiscard]] std::string duration(double ns);
// A measured difference: "+12.3 ms".
[[nodiscard]] std::string signed_duration(double ns);
// A configured time, as it was written: "60 s", "0.25 s"; to the millisecond.
[[nodiscard]] std::string seconds_text(double seconds);
// An expected waiting time: "45 s", "12 min", "3 h 5 min", "4 days". Rounded up below two minutes.
[[nodiscard]] std::string rough_duration(double seconds);
// Elapsed time: "1:05", "1:02:03".
[[nodiscard]] std::string clock_text(std::int64_t ns);

// "1.50 GiB"
[[nodiscard]] std::string byte_text(double bytes);

// "0-2,8": CPU numbers, ascending.
[[nodiscard]] std::string cpu_list_text(std::span<const int> cpus);
// In the order of the text. Returns nullopt for anything but CPU numbers below 65,536 and ascending
// ranges.
[[nodiscard]] std::optional<std::vector<int>> parse_cpu_list(std::string_view list);

// "2%" and "0.02" are the same share, in [0, 1); nullopt for anything else.
[[nodiscard]] std::optional<double> parse_share(std::string_view text);

}  // namespace stepbench::text
