// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stepbench {

// Means of consecutive blocks of `length` >= 1 values; surplus values at the start are left out.
// Workers of a loader deliver in lockstep: a single step says little there, a block of as many
// steps as there are workers is one turn of all of them.
[[nodiscard]] std::vector<double> block_means(std::span<const std::int64_t> series,
                                              std::size_t length);

// Standard deviation of the mean of all values, as a share of it, by the spread of the blocks and
// how alike neighbouring blocks are. NaN for fewer than six blocks.
[[nodiscard]] double spread_of_mean(std::span<const double> block_means);

}  // namespace stepbench
