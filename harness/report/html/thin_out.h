// SPDX-License-Identifier: Apache-2.0
// Fewer points of a series without losing what stands out. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stepbench::report {

// Indices of at most `points` values (but no fewer than 4), in order: the first and the last one,
// and of each stretch of the others the smallest and the largest. All where there are no more.
[[nodiscard]] std::vector<std::size_t> thin_out(std::span<const double> values, std::size_t points);

}  // namespace stepbench::report
