// SPDX-License-Identifier: Apache-2.0
// Ratio of the means of two samples: the total cost, including rare outliers that ranks and medians
// ignore. Pure; any thread.
#pragma once

#include <span>

#include "harness/stats/interval.h"

namespace stepbench::stats {

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
