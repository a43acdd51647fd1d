// SPDX-License-Identifier: Apache-2.0
// The size of a difference: the probability that one value is above another, the ratio of two
// means, and the number of pairs that resolve it. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>

#include "harness/stats/order_statistics.h"

namespace stepbench::stats {

// Common-language effect size over all pairs (a_i, b_j): probability that b exceeds a. 0.5 if they
// are alike, NaN without data.
[[nodiscard]] double cles(std::span<const double> a, std::span<const double> b);
// The share above zero; zeros count one half.
[[nodiscard]] double paired_cles(std::span<const double> differences);

// Number of pairs that decides an effect at this distance from the margin with 80 % power at the 5
// % level, for differences of this standard deviation: 1.05 (z.975 + z.8)^2 sd^2 / distance^2. 1.05
// = pi / 3 is the loss of rank tests on normal data. `effect`, `sd` and `margin` in log ratios.
[[nodiscard]] std::size_t pairs_needed(double effect, double sd, double margin);
inline constexpr std::size_t kMaxPairsNeeded = 400;  // larger results are returned as 401: ">400"

// Ratio of the means of two samples: the total cost, including rare outliers that ranks and medians
// ignore.

// For positive values. By Student's t and the first-order error of the ratio (Cochran, Sampling
// Techniques, chapter 6).
struct MeanRatio {
  double ratio = 1;  // mean(b) / mean(a)
  // (-inf, +inf) for fewer than two values in a sample, or if a mean is not positive.
  Interval interval;
  double sd = 0;  // contribution of one pair to the log ratio
};

// Values at equal indexes are a pair: common effects cancel.
[[nodiscard]] MeanRatio paired_mean_ratio(std::span<const double> a, std::span<const double> b,
                                          double confidence);
// Unpaired; the samples may differ in size and spread (Welch).
[[nodiscard]] MeanRatio mean_ratio(std::span<const double> a, std::span<const double> b,
                                   double confidence);

}  // namespace stepbench::stats
