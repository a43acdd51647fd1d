// SPDX-License-Identifier: Apache-2.0
// The engine that decides whether program B is slower than A. Both are launched alternately; a pair
// is log(B / A) of two adjacent launches, so larger is worse. Error rates:
// results/verdict_simulation.md. Pure; any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

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

enum class Decision : std::uint8_t { kInconclusive, kOk, kRegression, kImprovement };
// `cost` is the interval of the mean launch, which rare slow launches affect; only kOk uses it.
[[nodiscard]] Decision decide(const stats::Interval& typical, const stats::Interval& cost,
                              double margin);

// Bias-corrected size of a change that was reported because its estimate was beyond `bound`: the
// size for which half of all reported estimates are below this one. At least `margin`. The caller
// negates sizes of improvements.
[[nodiscard]] double claimed_size(const Estimate& estimate, double bound, double margin);

}  // namespace stepbench::verdict
