// SPDX-License-Identifier: Apache-2.0
// Estimates of Hodges and Lehmann for the rank tests: the centre of paired differences, the shift
// between two unpaired samples, each with its interval. Pure; any thread.
#pragma once

#include <span>

#include "harness/stats/interval.h"

namespace stepbench::stats {

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
