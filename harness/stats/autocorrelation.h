// SPDX-License-Identifier: Apache-2.0
// Autocorrelation of a series, and its effect on the spread of the mean. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stepbench::stats {

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
