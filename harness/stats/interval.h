// SPDX-License-Identifier: Apache-2.0
// A range of numbers. A value type.
#pragma once

namespace stepbench::stats {

// Both ends belong to it. An end may be infinite where the text of a function says so.
struct Interval {
  double low = 0;
  double high = 0;
};

[[nodiscard]] inline bool overlap(const Interval& a, const Interval& b) {
  return a.low <= b.high && b.low <= a.high;
}

}  // namespace stepbench::stats
