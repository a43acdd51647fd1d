// SPDX-License-Identifier: Apache-2.0
// Exact statistics of shares counted in samples. Pure; any thread.
#pragma once

#include <cstddef>

namespace stepbench::stats {

// Logarithm of the binomial coefficient for k <= n, which may overflow a double.
[[nodiscard]] double log_choose(std::size_t n, std::size_t k);

// Upper confidence bound of a share of which a sample of `n` contains `seen` (Clopper and Pearson
// 1934, one-sided): at 95 %, 1 - .05^(1 / n) if none was seen. 1 for n = 0.
[[nodiscard]] double largest_share(std::size_t seen, std::size_t n, double confidence);

// Fisher's exact test that two samples have the same share, two-sided p.
[[nodiscard]] double fisher_exact_p(std::size_t seen_a, std::size_t n_a, std::size_t seen_b,
                                    std::size_t n_b);

}  // namespace stepbench::stats
