// SPDX-License-Identifier: Apache-2.0
// Detects whether a time series still changes: slopes, a trend test, the verdict on a warm-up.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/stats/interval.h"

namespace stepbench::stats {

// Tests whether values rise or fall with their index: Kendall's S, summed over independent series,
// by the normal approximation with continuity correction.
struct MannKendall {
  double s = 0;  // rising pairs minus falling pairs
  double p_two_sided = 1;
};
[[nodiscard]] MannKendall mann_kendall(std::span<const std::vector<double>> series);

inline constexpr std::size_t kMinForTrend = 18;  // values

// Judges whether positive values in time order (step times of an active window) still change.
struct Trend {
  bool known = false;   // false: fewer than kMinForTrend values, or one that is not positive
  double change = 0;    // level of the last third relative to the first: -0.05 = 5 % faster
  Interval interval;    // interval of `change`
  bool moving = false;  // the interval lies entirely beyond the margin
  // First index from which the series stays at the level of its last third; its size if it never
  // does.
  std::size_t steady_from = 0;
};

// Compares the first with the last third by the method of comparisons: each third is cut into up to
// 20 runs, the medians of the i-th runs are paired, and the Hodges-Lehmann interval of their log
// ratios is widened by the autocorrelation of neighbouring runs, so that slow wandering is not a
// trend. Runs instead of single values, because neighbouring steps are correlated.
[[nodiscard]] Trend trend(std::span<const double> series, double margin = 0.01,
                          double confidence = 0.95);

}  // namespace stepbench::stats
