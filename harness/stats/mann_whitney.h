// SPDX-License-Identifier: Apache-2.0
// Mann and Whitney's test of two unpaired samples. Exact, conditional on the ties, while both sizes
// are at most 50; normal approximation with continuity and tie correction beyond.
#pragma once

#include <span>

namespace stepbench {

struct MannWhitney {
  double u = 0;            // pairs with x > y, ties count one half
  double p_two_sided = 1;  // 1 when a sample is empty or all values are equal
  bool exact = true;
  bool all_equal = false;
};

[[nodiscard]] MannWhitney mann_whitney(std::span<const double> x, std::span<const double> y);

// One-sided p-value of "x tends to be greater than y".
[[nodiscard]] double mann_whitney_p_greater(std::span<const double> x, std::span<const double> y);

}  // namespace stepbench
