// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace stepbench {

// Median of the slopes between all two points of a series with equal steps; NaN for fewer than two
// values.
[[nodiscard]] double theil_sen_slope(std::span<const double> series);

}  // namespace stepbench
