// SPDX-License-Identifier: Apache-2.0
// Comparison of many means with one. Pure; any thread.
#pragma once

#include <cstddef>

namespace stepbench::stats {

// Dunnett's one-sided critical value: with probability `confidence`, none of `comparisons`
// t-statistics of means against one common mean, all from equally many values, exceeds it.
// `degrees` of freedom of the pooled variance, 1 or more; `confidence` between 0 and 1. By
// quadrature, to 0.2 % (Dunnett 1955; Hsu, "Multiple comparisons", 1996, for comparisons with the
// unknown best).
[[nodiscard]] double dunnett_one_sided(std::size_t comparisons, double degrees, double confidence);

}  // namespace stepbench::stats
