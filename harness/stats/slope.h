// SPDX-License-Identifier: Apache-2.0
// The slope of a series with equal steps. Pure; any thread.
#pragma once

#include <span>
#include <vector>

namespace stepbench::stats {

// Median of the slopes between all two points of a series with equal steps; NaN for fewer than two
// values.
[[nodiscard]] double theil_sen_slope(std::span<const double> series);
// One slope for several series that start at levels of their own.
[[nodiscard]] double pooled_theil_sen_slope(std::span<const std::vector<double>> series);

}  // namespace stepbench::stats
