// SPDX-License-Identifier: Apache-2.0
// Where a level changed: programs in their order (commits, builds of nights) were measured against
// one that is kept, or against an earlier one, and from some place on all are slower by the same
// step. Each place has a chance of being that one. Gaussian errors; the step, and how far the kept
// program lies off the level of its place, have flat or wide priors and are integrated out. Pure;
// any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stepbench::verdict {

struct Measured {
  double value = 0;       // log ratio of the program at `place` to the one at `base`
  double variance = 0;    // above 0: of launches, and of the layout of what was built for this
  std::size_t place = 0;  // in the order
  std::size_t base = 0;
  bool kept = true;  // the base is the kept program, from before the first place that may change
};

// Of the change being at `place`, up to a constant. `offset_variance`: of how far the kept program
// lies off its level; 0: nothing is known of it. Minus infinity where nothing tells the step.
[[nodiscard]] double log_likelihood(std::span<const Measured> all, std::size_t place,
                                    double offset_variance = 0);
// Of log likelihoods: their shares, which add up to 1; alike where none has any.
[[nodiscard]] std::vector<double> chances(std::vector<double> log_likelihoods);

struct Places {
  std::size_t first = 0;
  std::size_t last = 0;  // of the range too
  std::size_t best = 0;  // the likeliest
};
// The neighbours around the likeliest place that hold the change with `confidence`.
[[nodiscard]] Places likeliest(std::span<const double> chances, double confidence);

}  // namespace stepbench::verdict
