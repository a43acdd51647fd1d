// SPDX-License-Identifier: Apache-2.0
// Where the level of programs in order changed: builds of nights, commits. Each was measured
// against one kept program, or against another place. From the place of the change on all are
// slower, or faster, by one step. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stepbench::verdict {

struct Measured {
  double value = 0;     // log ratio to the base
  double variance = 0;  // with the layout of what was built
  std::size_t place = 0;
  std::size_t base = 0;
  bool kept = true;  // the base is the kept program, whose own layout all such values share
};

// Up to a constant, with step and level of the kept program integrated out: both are normal around
// 0, the step with standard deviation 1, the level with `kept_sd` (1: nothing is known).
[[nodiscard]] double log_likelihood(std::span<const Measured> all, std::size_t changed,
                                    double kept_sd = 1);

// Of each place, from logarithms of likelihoods. Sums to 1. At least one must be finite.
[[nodiscard]] std::vector<double> chances(std::vector<double> log_likelihoods);

// The fewest neighbouring places that hold the change with `confidence`.
struct PlaceRange {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t likeliest = 0;
};
[[nodiscard]] PlaceRange range(std::span<const double> chances, double confidence);

}  // namespace stepbench::verdict
