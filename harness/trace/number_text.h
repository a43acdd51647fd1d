// SPDX-License-Identifier: Apache-2.0
// Parses numbers of a trace without going through a double, whose resolution near 1.7e15
// microseconds is a quarter of one. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepbench::trace {

struct TimeText {
  std::int64_t ns = 0;
  bool fraction = false;  // finer than a microsecond
};

// Microseconds -> nanoseconds, rounded to nearest: "1700000000123456.789", "68.0", "5e3". Quotation
// marks are allowed. nullopt: invalid number, or beyond kLatestNs.
[[nodiscard]] std::optional<TimeText> microseconds_text(std::string_view text);

// "31", "31.0", "4294967295", "\"31\"". nullopt: not an integer.
[[nodiscard]] std::optional<std::int64_t> integer_text(std::string_view text);
[[nodiscard]] std::optional<std::uint64_t> unsigned_text(std::string_view text);
[[nodiscard]] std::optional<double> real_text(std::string_view text);

// Strips surrounding quotation marks.
[[nodiscard]] std::string_view unquoted(std::string_view text);

}  // namespace stepbench::trace
