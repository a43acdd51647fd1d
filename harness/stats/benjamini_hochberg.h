// SPDX-License-Identifier: Apache-2.0
// Many tests at once. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stepbench::stats {

// Control of the false discovery rate over one family of tests (Benjamini and Hochberg 1995).
struct FalseDiscovery {
  std::vector<double> adjusted;  // in the order given; NaN stays NaN
  std::size_t family = 0;        // p-values that count: NaN does not
  std::size_t not_a_number = 0;

  // The hypothesis is rejected at rate q.
  [[nodiscard]] bool rejected(std::size_t i, double q) const { return adjusted[i] <= q; }
};

[[nodiscard]] FalseDiscovery benjamini_hochberg(std::span<const double> p_values);

}  // namespace stepbench::stats
