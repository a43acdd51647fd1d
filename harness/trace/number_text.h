// SPDX-License-Identifier: Apache-2.0
// Numbers of a trace from their text, without a double in between: a double near 1.7e15
// microseconds steps by a quarter of one. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepbench::trace {

struct TimeText {
  std::int64_t ns = 0;
  bool fraction = false;  // finer than a microsecond
};

// Microseconds -> nanoseconds, rounded to the nearest: "1700000000123456.789", "68.0", "5e3". In
// quotation marks too. nullopt: no number, or beyond kLatestNs.
[[nodiscard]] std::optional<TimeText> microseconds_text(std::string_view text);

// "31", "31.0", "4294967295", "\"31\"". nullopt: no whole number.
[[nodiscard]] std::optional<std::int64_t> integer_text(std::string_view text);
[[nodiscard]] std::optional<std::uint64_t> unsigned_text(std::string_view text);
[[nodiscard]] std::optional<double> real_text(std::string_view text);

// The text without quotation marks around it.
[[nodiscard]] std::string_view unquoted(std::string_view text);

}  // namespace stepbench::trace
