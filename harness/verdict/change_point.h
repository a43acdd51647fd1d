// SPDX-License-Identifier: Apache-2.0
// Locates a change of level: programs in order (commits, nightly builds) were measured against a
// kept program or an earlier one, and from some place on all are slower by the same step. Gives
// each place its probability. Gaussian errors; the step and the offset of the kept program from the
// level of its place have flat or wide priors and are integrated out. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stepbench::verdict {

struct Measured {
  double value = 0;       // log ratio of the program at `place` to the one at `base`
  double variance = 0;    // > 0; from launches, and the layout of copies built for this
  std::size_t place = 0;  // in the order of programs
  std::size_t base = 0;
  bool against_good_end = true;  // the base is the kept program, from before all possible places
};

// Log likelihood of the change being at `place`, up to a constant. `offset_variance`: prior
// variance of the kept program's offset from its level; 0: unknown. Minus infinity if the step is
// undetermined.
[[nodiscard]] double log_likelihood(std::span<const Measured> all, std::size_t place,
                                    double offset_variance = 0);
// Normalises log likelihoods to probabilities that sum to 1; uniform if all are minus infinity.
[[nodiscard]] std::vector<double> chances(std::vector<double> log_likelihoods);

struct Places {
  std::size_t first = 0;
  std::size_t last = 0;  // inclusive
  std::size_t best = 0;  // the likeliest
};
// Smallest range around the likeliest place that contains the change with `confidence`.
[[nodiscard]] Places likeliest(std::span<const double> chances, double confidence);

}  // namespace stepbench::verdict
