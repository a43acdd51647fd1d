// SPDX-License-Identifier: Apache-2.0
// Corrections for many tests at once, and for comparing many means with one. Pure; any thread.
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

// Dunnett's one-sided critical value: with probability `confidence`, none of `comparisons`
// t-statistics of means against one common mean, all from equally many values, exceeds it.
// `degrees` of freedom of the pooled variance, 1 or more; `confidence` between 0 and 1. By
// quadrature, to 0.2 % (Dunnett 1955; Hsu, "Multiple comparisons", 1996, for comparisons with the
// unknown best).
[[nodiscard]] double dunnett_one_sided(std::size_t comparisons, double degrees, double confidence);

}  // namespace stepbench::stats
