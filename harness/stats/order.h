// SPDX-License-Identifier: Apache-2.0
// Order statistics of a sample. Values must be finite, in any order; they are not changed. All
// functions of harness/stats are pure: any thread may call them, and the same input gives the same
// bits.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "harness/stats/interval.h"

namespace stepbench::stats {

[[nodiscard]] double median(std::span<const double> values);  // NaN if empty

// Type 7 of Hyndman and Fan (the default of R and numpy), 0 <= q <= 1. NaN if empty.
[[nodiscard]] double quantile(std::span<const double> values, double q);
// The same for sorted values.
[[nodiscard]] double quantile_of_sorted(std::span<const double> sorted, double q);

[[nodiscard]] double interquartile_range(std::span<const double> values);

// 1.4826 * median |x - median|: the standard deviation of normal data, robust against outliers.
[[nodiscard]] double robust_sd(std::span<const double> values);

// About the mean, with n - 1; 0 for fewer than two values.
[[nodiscard]] double standard_deviation(std::span<const double> values);

struct Ranks {
  std::size_t low = 0;   // 1-based; 0: below the smallest value
  std::size_t high = 0;  // n + 1: above the largest
};

// Ranks of the order statistics that contain the median with at least this confidence, by
// golang.org/x/perf's rule: from the middle of Bin(n, 1/2) outwards, the likelier neighbour first
// and the lower one on a tie.
[[nodiscard]] Ranks median_ranks(std::size_t n, double confidence);

// nullopt if n is too small: 95 % needs six values. Valid for any distribution of independent
// values.
[[nodiscard]] std::optional<Interval> median_interval(std::span<const double> values,
                                                      double confidence);

}  // namespace stepbench::stats
