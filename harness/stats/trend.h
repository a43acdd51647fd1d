// SPDX-License-Identifier: Apache-2.0
// Series of values in time order: their slope, their autocorrelation, and whether they still
// change. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/stats/order_statistics.h"

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

// Median of the slopes between any two points of an equidistant series; NaN for fewer than two
// values.
[[nodiscard]] double theil_sen_slope(std::span<const double> series);
// One slope for several series with different levels.
[[nodiscard]] double pooled_theil_sen_slope(std::span<const std::vector<double>> series);

// Autocorrelation at lag 1 after removing a linear trend (Theil-Sen slope), with outliers clamped
// to three robust standard deviations and corrected for the bias of a short series. From 0 to 0.95;
// 0 for fewer than six values.
[[nodiscard]] double lag_1(std::span<const double> series);

// Factor by which the spread of a mean of such values exceeds that of independent ones.
[[nodiscard]] double inflation(double lag_1);

// Means of consecutive blocks of `length` >= 1 values; drops surplus values at the start. Workers
// of a loader deliver in lockstep: a single step is not representative, but a block of as many
// steps as there are workers is one turn of all of them.
[[nodiscard]] std::vector<double> block_means(std::span<const std::int64_t> series,
                                              std::size_t length);

// Relative standard deviation of the mean of all values, from the spread and the autocorrelation of
// the blocks. NaN for fewer than six blocks.
[[nodiscard]] double spread_of_mean(std::span<const double> block_means);

}  // namespace stepbench::stats
