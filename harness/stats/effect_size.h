// SPDX-License-Identifier: Apache-2.0
// How large a difference is, beside how certain it is. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>

namespace stepbench::stats {

// Common-language effect sizes: how likely b is above a. 0.5 when they are alike, NaN without data.
// Over all pairs (a_i, b_j).
[[nodiscard]] double cles(std::span<const double> a, std::span<const double> b);
// The share above zero; zeros count one half.
[[nodiscard]] double paired_cles(std::span<const double> differences);

// Pairs after which an effect at this distance from the margin is decided with 80 % power at the 5
// % level, when the differences have this standard deviation: 1.05 (z.975 + z.8)^2 sd^2 /
// distance^2. 1.05 = pi / 3 is the price of ranks for normal data. `effect`, `sd` and `margin` in
// log ratios.
[[nodiscard]] std::size_t pairs_needed(double effect, double sd, double margin);
inline constexpr std::size_t kMaxPairsNeeded = 400;  // a larger answer is returned as 401: ">400"

}  // namespace stepbench::stats
