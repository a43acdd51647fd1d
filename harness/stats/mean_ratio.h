// SPDX-License-Identifier: Apache-2.0
// By how much the mean of one sample is more than that of another: what is paid, where ranks and
// medians do not see a few values that are far off. Pure; any thread.
#pragma once

#include <span>

#include "harness/stats/interval.h"

namespace stepbench::stats {

// Of positive values. By Student's t and the first order of the ratio's error (Cochran, Sampling
// Techniques, chapter 6).
struct MeanRatio {
  double ratio = 1;  // mean(b) / mean(a)
  // (-inf, +inf) for fewer than two values of a side, and where a mean is not positive.
  Interval interval;
  double sd = 0;  // of one pair's part in the logarithm of the ratio
};

// Values at equal indexes are a pair: what moves both of them cancels.
[[nodiscard]] MeanRatio paired_mean_ratio(std::span<const double> a, std::span<const double> b,
                                          double confidence);
// Unpaired; the samples may differ in size and spread (Welch).
[[nodiscard]] MeanRatio mean_ratio(std::span<const double> a, std::span<const double> b,
                                   double confidence);

}  // namespace stepbench::stats
