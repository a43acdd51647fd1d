// SPDX-License-Identifier: Apache-2.0
// How alike neighbours of a series are, and what that means for the spread of its mean. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stepbench::stats {

// How alike neighbours of a series are beyond a straight line through it: the autocorrelation at
// lag 1 of what remains after its Theil-Sen slope, with outliers pulled in to three robust standard
// deviations and the bias of a short series added back. From 0 to 0.95; 0 for fewer than six
// values.
[[nodiscard]] double lag_1(std::span<const double> series);

// By how much the spread of a mean of such values exceeds that of independent ones.
[[nodiscard]] double inflation(double lag_1);

// Means of consecutive blocks of `length` >= 1 values; surplus values at the start are left out.
// Workers of a loader deliver in lockstep: a single step says little there, a block of as many
// steps as there are workers is one turn of all of them.
[[nodiscard]] std::vector<double> block_means(std::span<const std::int64_t> series,
                                              std::size_t length);

// Standard deviation of the mean of all values, as a share of it, by the spread of the blocks and
// how alike neighbouring blocks are. NaN for fewer than six blocks.
[[nodiscard]] double spread_of_mean(std::span<const double> block_means);

}  // namespace stepbench::stats
