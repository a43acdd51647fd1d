// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/compare/judge.h"

namespace stepbench {

// What is left of a question after the bad values: a bad value takes its pair with it.
struct UsablePairs {
  std::vector<double> base;  // paired with `candidate`
  std::vector<double> candidate;
  std::vector<double> all_base;  // paired or not
  std::vector<double> all_candidate;
  std::size_t dropped = 0;  // pairs
};

[[nodiscard]] UsablePairs usable_pairs(const Question& question);

// All of them are equal.
[[nodiscard]] bool constant(std::span<const double> values);

}  // namespace stepbench
