// SPDX-License-Identifier: Apache-2.0
// Whether a series of values in time order still moves: slopes, a test for a trend, the verdict on
// a warm-up. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/stats/interval.h"

namespace stepbench::stats {

// Whether values rise or fall with their index: Kendall's S, summed over series that are
// independent of each other, by the normal approximation with continuity correction.
struct MannKendall {
  double s = 0;  // pairs that rise minus pairs that fall
  double p_two_sided = 1;
};
[[nodiscard]] MannKendall mann_kendall(std::span<const std::vector<double>> series);

inline constexpr std::size_t kMinForTrend = 18;  // values

// Whether a series of positive values in time order (step times of an active window) still moves.
struct Trend {
  bool known = false;  // false: fewer values than that, or one that is not positive
  double change = 0;  // level of the last third relative to the first: -0.05 = it became 5 % faster
  Interval interval;  // of `change`
  bool moving = false;  // the interval lies wholly beyond the margin
  // First value from which the series stays at the level of its last third; its size when it never
  // does.
  std::size_t steady_from = 0;
};

// First third against last third by the method of comparisons: each third is cut into up to 20
// runs, the medians of the i-th runs are paired, and the Hodges-Lehmann interval of their log
// ratios is taken, wider by how alike neighbouring runs are: slow wandering is no trend. Runs, not
// single values, because neighbouring steps are alike.
[[nodiscard]] Trend trend(std::span<const double> series, double margin = 0.01,
                          double confidence = 0.95);

}  // namespace stepbench::stats
