// SPDX-License-Identifier: Apache-2.0
// Tests, estimates and intervals based on ranks: Wilcoxon's signed-rank test, for paired
// differences that are symmetric about their centre; the sign test's interval, which needs no
// symmetry; the Mann-Whitney test of two unpaired samples; the Hodges-Lehmann estimates that belong
// to them. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>

#include "harness/stats/order_statistics.h"

namespace stepbench::stats {

// Wilcoxon. Exact up to 50 non-zero differences, normal approximation beyond.
struct SignedRank {
  std::size_t n = 0;      // non-zero differences
  std::size_t zeros = 0;  // dropped
  double w = 0;           // sum of the mid-ranks of positive differences
  double p_two_sided = 1;
};

[[nodiscard]] SignedRank signed_rank(std::span<const double> differences);

// k such that the k-th smallest and the k-th largest Walsh average are the ends of the two-sided
// interval: the largest with P(T <= k - 1) <= alpha / 2 under the null law of n untied differences;
// 0 if there is none.
[[nodiscard]] std::size_t walsh_rank(std::size_t n, double alpha);

// k such that order statistics k and n + 1 - k of the differences are the ends of the sign test's
// interval; 0 if n is too small.
[[nodiscard]] std::size_t sign_rank(std::size_t n, double alpha);
[[nodiscard]] Interval sign_interval(std::span<const double> differences, double confidence);

// The same for the sorted differences of two unpaired samples of these sizes.
[[nodiscard]] std::size_t difference_rank(std::size_t m, std::size_t n, double alpha);

// Mann and Whitney. Exact, conditional on the ties, while both sizes are at most 50; normal
// approximation with continuity and tie correction beyond.
struct MannWhitney {
  double u = 0;            // pairs with x > y, ties count one half
  double p_two_sided = 1;  // 1 if a sample is empty or all values are equal
  bool exact = true;
  bool all_equal = false;
};

[[nodiscard]] MannWhitney mann_whitney(std::span<const double> x, std::span<const double> y);
// Logarithm of the smallest possible two-sided p-value for untied samples of these sizes; for some
// hundred values, the p-value itself underflows a double.
[[nodiscard]] double log_least_mann_whitney_p(std::size_t m, std::size_t n);

// Hodges-Lehmann estimates: the centre of paired differences, the shift between two unpaired
// samples, each with its interval.

struct HodgesLehmann {
  // Median of the Walsh averages (d_i + d_j) / 2, i <= j, including zeros; NaN if empty.
  double centre = 0;
  // (-inf, +inf) for too few differences: 95 % needs six.
  Interval interval;
};

// Both take n log n for n values, which must be finite; none is dropped.
[[nodiscard]] HodgesLehmann hodges_lehmann(std::span<const double> differences, double confidence);
// For two unpaired samples: the median of all differences y_j - x_i, with the interval of Mann and
// Whitney's test (Lehmann 1963). (-inf, +inf) for too few values: 95 % needs four each.
[[nodiscard]] HodgesLehmann hodges_lehmann(std::span<const double> x, std::span<const double> y,
                                           double confidence);

}  // namespace stepbench::stats
