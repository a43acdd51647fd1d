// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stepbench {

// Ranks from 1, tied values sharing the mean of theirs, times two: whole numbers, so that sums of
// them are exact.
struct MidRanks {
  std::vector<std::size_t> doubled;      // in the order of the values
  std::vector<std::size_t> group_sizes;  // of equal values, ascending by value
  double tie_correction = 0;             // sum of t^3 - t over the groups
};

[[nodiscard]] MidRanks mid_ranks(std::span<const double> values);

// P(Z > z) of a standard normal Z.
[[nodiscard]] double normal_upper_tail(double z);

}  // namespace stepbench
