// SPDX-License-Identifier: Apache-2.0
// Shares of a whole that were counted in a sample. Exact. Pure; any thread.
#pragma once

#include <cstddef>

namespace stepbench::stats {

// Of the ways to choose k <= n things, which may be more than a double holds.
[[nodiscard]] double log_choose(std::size_t n, std::size_t k);

// The largest share of a whole of which a sample of `n` may hold no more than `seen` by chance
// (Clopper and Pearson 1934, one-sided): 1 - .05^(1 / n) with 95 % where none was seen. 1 for n =
// 0.
[[nodiscard]] double largest_share(std::size_t seen, std::size_t n, double confidence);

// Whether two samples hold one share: Fisher's exact test, two-sided p.
[[nodiscard]] double fisher_exact_p(std::size_t seen_a, std::size_t n_a, std::size_t seen_b,
                                    std::size_t n_b);

}  // namespace stepbench::stats
