// SPDX-License-Identifier: Apache-2.0
// Effect sizes, which complement p-values. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>

namespace stepbench::stats {

// Common-language effect size over all pairs (a_i, b_j): probability that b exceeds a. 0.5 if they
// are alike, NaN without data.
[[nodiscard]] double cles(std::span<const double> a, std::span<const double> b);
// The share above zero; zeros count one half.
[[nodiscard]] double paired_cles(std::span<const double> differences);

// Number of pairs that decides an effect at this distance from the margin with 80 % power at the 5
// % level, for differences of this standard deviation: 1.05 (z.975 + z.8)^2 sd^2 / distance^2. 1.05
// = pi / 3 is the loss of rank tests on normal data. `effect`, `sd` and `margin` in log ratios.
[[nodiscard]] std::size_t pairs_needed(double effect, double sd, double margin);
inline constexpr std::size_t kMaxPairsNeeded = 400;  // larger results are returned as 401: ">400"

}  // namespace stepbench::stats
