// SPDX-License-Identifier: Apache-2.0
// The engine that decides whether program B is slower than A, and the search for the first slower
// one of a series of programs. Two programs are launched alternately; a pair is log(B / A) of two
// adjacent launches, so larger is worse. Error rates: results/verdict_simulation.md. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "harness/stats/order_statistics.h"

namespace stepbench::verdict {

using Pairs = std::span<const double>;

// Standard deviation of one pair, pooled over blocks of pairs whose centres may differ, with its
// degrees of freedom. Pairs more than 2.75 robust standard deviations from the centre of their
// block are clamped to that distance. Freedom 0: unknown. `centres`: of the blocks, if known.
struct PairSpread {
  double sd = 0;
  double freedom = 0;
};
[[nodiscard]] PairSpread spread(std::span<const Pairs> blocks,
                                std::span<const double> centres = {});

// A log ratio with the variance of its error. Infinite variance: unknown.
struct Estimate {
  double value = 0;
  double variance = std::numeric_limits<double>::infinity();
  double freedom = 0;
};
// Hodges-Lehmann centre, which is robust against single outliers (one launch of twice the time).
// `layout`: standard deviation between builds of one source; 0 to compare these two files only.
[[nodiscard]] Estimate estimate(Pairs pairs, const PairSpread& spread, double layout = 0);
// Variance of the centre of `pairs` pairs: that of a mean times pi/3, reduced for clamping.
[[nodiscard]] double variance(const PairSpread& spread, double pairs);
[[nodiscard]] Estimate operator-(const Estimate& a, const Estimate& b);
// Mean weighted by 1 / variance. Needs at least one estimate.
[[nodiscard]] Estimate mean(std::span<const Estimate> estimates);

// Standard deviation between builds of one source: the differences between neighbouring builds
// beyond what launches explain. `builds` are in order, with the variance of launches alone.
// `assumed` is a prior with the weight of `builds_assumed` builds.
[[nodiscard]] double layout(std::span<const Estimate> builds, double assumed,
                            double builds_assumed);

// Student's t interval: each bound is exceeded with probability `error`. The whole line if unknown.
[[nodiscard]] stats::Interval interval(const Estimate& estimate, double error);
// Two-sided p-value of no difference; NaN if unknown.
[[nodiscard]] double p_value(const Estimate& estimate);
// The same for pairs that are the only source of their spread: at least as wide, or as large, as
// given by their signed ranks. Ranks stay valid for any shape of noise that affects both programs
// alike: sharing a core half of the time, for example, changes a pair by a factor rather than by a
// small error.
[[nodiscard]] stats::Interval interval(Pairs pairs, const Estimate& estimate, double error);
[[nodiscard]] double p_value(Pairs pairs, const Estimate& estimate);

// Bias-corrected size of a change that was reported because its estimate was beyond `bound`: the
// size for which half of all reported estimates are below this one. At least `margin`. The caller
// negates sizes of improvements.
[[nodiscard]] double claimed_size(const Estimate& estimate, double bound, double margin);

// Locates a change of level: programs in order (commits, nightly builds) were measured against a
// kept program or an earlier one, and from some place on all are slower by the same step. Gives
// each place its probability. Gaussian errors; the step and the offset of the kept program from the
// level of its place have flat or wide priors and are integrated out.

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
