// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace stepbench {

// How alike neighbours of a series are beyond a straight line through it: the autocorrelation at
// lag 1 of what remains after its Theil-Sen slope, with outliers pulled in to three robust standard
// deviations and the bias of a short series added back. From 0 to 0.95; 0 for fewer than six
// values.
[[nodiscard]] double lag_1(std::span<const double> series);

// By how much the spread of a mean of such values exceeds that of independent ones.
[[nodiscard]] double inflation(double lag_1);

}  // namespace stepbench
