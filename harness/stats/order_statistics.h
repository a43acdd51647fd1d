// SPDX-License-Identifier: Apache-2.0
// Order statistics of a sample: quantiles, spread, ranks and intervals, also of grouped values.
// Values must be finite; their order does not matter and they are not changed. All functions of
// harness/stats are pure: any thread may call them, and the same input gives the same bits.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace stepbench::stats {

// A closed interval. An end may only be infinite where a function documents it.
struct Interval {
  double low = 0;
  double high = 0;
};

[[nodiscard]] inline bool overlap(const Interval& a, const Interval& b) {
  return a.low <= b.high && b.low <= a.high;
}

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

// Quantiles of grouped values, where only the groups are independent: launches, or stretches of a
// queue.

// A bound is missing if the sample is too small for it.
struct GroupedQuantile {
  double value = 0;  // all values together
  std::optional<double> low = {};
  std::optional<double> high = {};
};

// 0 < q < 1. The interval lies between two order statistics of all values (Woodruff 1952). Their
// ranks are those of an effective sample of independent values, whose size follows from the spread
// of the groups' shares below the quantile and Student's t for this number of groups (Korn and
// Graubard 1998). For homogeneous groups it is the exact interval of order statistics. nullopt for
// fewer than two groups, or if one is empty.
[[nodiscard]] std::optional<GroupedQuantile> grouped_quantile(
    std::span<const std::span<const double>> groups, double q, double confidence);

}  // namespace stepbench::stats
