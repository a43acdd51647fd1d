// SPDX-License-Identifier: Apache-2.0
// Parses a trace's numbers without converting them to double: near 1.7e15 microseconds a double has
// steps of a quarter of one. Sums stay within bounds, whatever a file contains.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepbench::traces {

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

// Bounds that keep all analyses' arithmetic inside std::int64_t, for any file. One thread.

inline constexpr std::int64_t kEarliestNs = -(std::int64_t{1} << 60);
inline constexpr std::int64_t kLatestNs = std::int64_t{1} << 62;  // the year 2116
inline constexpr std::int64_t kLongestNs = std::int64_t{1} << 61;
inline constexpr std::int64_t kMaxBytes = std::int64_t{1} << 50;  // per copy or allocation

// Adds values of 0 to kLongestNs each; returns false if the sum would overflow.
class BoundedSum {
 public:
  [[nodiscard]] bool add(std::int64_t value) {
    constexpr std::int64_t kMax = std::int64_t{1} << 62;
    sum_ += value;
    return sum_ <= kMax;
  }

 private:
  std::int64_t sum_ = 0;
};

}  // namespace stepbench::traces
