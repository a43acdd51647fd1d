// SPDX-License-Identifier: Apache-2.0
// The estimates of Hodges and Lehmann that belong to the rank tests: the centre of paired
// differences, the shift between two unpaired samples, each with its interval. Pure; any thread.
#pragma once

#include <span>

#include "harness/stats/interval.h"

namespace stepbench::stats {

struct HodgesLehmann {
  // Median of the Walsh averages (d_i + d_j) / 2, i <= j, zeros included; NaN when empty.
  double centre = 0;
  // (-inf, +inf) when there are too few differences: 95 % needs six.
  Interval interval;
};

// Both take n log n for n values that are finite; none is left out.
[[nodiscard]] HodgesLehmann hodges_lehmann(std::span<const double> differences, double confidence);
// Of two unpaired samples: the median of all differences y_j - x_i, with the interval of Mann and
// Whitney's test (Lehmann 1963). (-inf, +inf) when there are too few values: 95 % needs four each.
[[nodiscard]] HodgesLehmann hodges_lehmann(std::span<const double> x, std::span<const double> y,
                                           double confidence);

}  // namespace stepbench::stats
