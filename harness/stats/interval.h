// SPDX-License-Identifier: Apache-2.0
// A range of numbers. A value type.
#pragma once

namespace stepbench::stats {

// A closed interval. An end may only be infinite where a function documents it.
struct Interval {
  double low = 0;
  double high = 0;
};

[[nodiscard]] inline bool overlap(const Interval& a, const Interval& b) {
  return a.low <= b.high && b.low <= a.high;
}

}  // namespace stepbench::stats
