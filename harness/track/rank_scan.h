// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a series shift most. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>

namespace stepbench::track {

struct RankShift {
  std::size_t index = 0;  // of the first value after it; 0: fewer than 2 min_length values
  double z = 0;           // positive: what comes after is higher
};

// The largest |z| over all splits that leave `min_length` values on either side: the sum of signs
// of x_j - x_i over the pairs across it, in standard deviations of independent untied values. The
// first of equal ones.
[[nodiscard]] RankShift rank_scan(std::span<const double> values, std::size_t min_length = 3);

// What |z| of the newest of n nights exceeds once in 2,000 nights where nothing happens, n >= 15.
[[nodiscard]] double rank_threshold(std::size_t n);

}  // namespace stepbench::track
