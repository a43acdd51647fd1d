// SPDX-License-Identifier: Apache-2.0
// Correction for multiple tests. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stepbench::stats {

// Control of the false discovery rate over one family of tests (Benjamini and Hochberg 1995).
struct FalseDiscovery {
  std::vector<double> adjusted;  // in input order; NaN stays NaN
  std::size_t family = 0;        // number of p-values, without NaN
  std::size_t not_a_number = 0;

  // True if the hypothesis is rejected at rate q.
  [[nodiscard]] bool rejected(std::size_t i, double q) const { return adjusted[i] <= q; }
};

[[nodiscard]] FalseDiscovery benjamini_hochberg(std::span<const double> p_values);

}  // namespace stepbench::stats
