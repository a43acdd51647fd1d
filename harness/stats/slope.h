// SPDX-License-Identifier: Apache-2.0
// Slopes of equidistant series. Pure; any thread.
#pragma once

#include <span>
#include <vector>

namespace stepbench::stats {

// Median of the slopes between any two points of an equidistant series; NaN for fewer than two
// values.
[[nodiscard]] double theil_sen_slope(std::span<const double> series);
// One slope for several series with different levels.
[[nodiscard]] double pooled_theil_sen_slope(std::span<const std::vector<double>> series);

}  // namespace stepbench::stats
