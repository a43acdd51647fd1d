// SPDX-License-Identifier: Apache-2.0
// An interval by resampling. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>

#include "harness/stats/interval.h"

namespace stepbench::stats {

// Percentile interval of median(b) / median(a), the arms resampled independently. The seed is made
// from the samples: the same data give the same interval. Both ends are NaN when a sample is empty.
// Samples of at most 65,535 values. A secondary report: under ABBA order it is wider than it need
// be.
[[nodiscard]] Interval bootstrap_ratio_of_medians(std::span<const double> a,
                                                  std::span<const double> b, double confidence,
                                                  std::size_t resamples = 9999);

}  // namespace stepbench::stats
