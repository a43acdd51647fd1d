// SPDX-License-Identifier: Apache-2.0
// Bounds that keep all analyses' arithmetic inside std::int64_t, for any file. One thread.
#pragma once

#include <cstdint>

namespace stepbench::trace {

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

}  // namespace stepbench::trace
