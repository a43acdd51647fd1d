// SPDX-License-Identifier: Apache-2.0
// The engine that decides whether program B is slower than A. Both are launched in turns; a pair is
// log(B / A) of two neighbouring launches, so that larger is worse. How often it is wrong:
// results/verdict_simulation.md. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "harness/stats/interval.h"

namespace stepbench::verdict {

using Pairs = std::span<const double>;

// Of one pair: the standard deviation, pooled over blocks of pairs whose centres may differ, with
// its degrees of freedom. Pairs farther than 2.75 robust standard deviations from the centre of
// their block count as if they lay there. No freedom: nothing is known. `centres`: of the blocks,
// where somebody has them.
struct PairSpread {
  double sd = 0;
  double freedom = 0;
};
[[nodiscard]] PairSpread spread(std::span<const Pairs> blocks,
                                std::span<const double> centres = {});

// A log ratio with the variance of its error. Infinite variance: nothing is known.
struct Estimate {
  double value = 0;
  double variance = std::numeric_limits<double>::infinity();
  double freedom = 0;
};
// Hodges and Lehmann's centre, which one launch of twice the time does not move. `layout`: the
// standard deviation between builds of one source; 0 where the question is these two files.
[[nodiscard]] Estimate estimate(Pairs pairs, const PairSpread& spread, double layout = 0);
// Of `pairs` pairs: that of a mean times pi/3, less what clamping takes off.
[[nodiscard]] double variance(const PairSpread& spread, double pairs);
[[nodiscard]] Estimate operator-(const Estimate& a, const Estimate& b);
// Weighted by 1 / variance. At least one.
[[nodiscard]] Estimate mean(std::span<const Estimate> estimates);

// The standard deviation between builds of one source, from builds in their order whose variance is
// that of launches alone: what neighbours differ by beyond it. `assumed` counts as `builds` of
// them.
[[nodiscard]] double layout(std::span<const Estimate> builds, double assumed,
                            double builds_assumed);

// By Student's t: each end is passed with probability `error`. The whole line where nothing is
// known.
[[nodiscard]] stats::Interval interval(const Estimate& estimate, double error);
// Of no difference, two-sided; NaN where nothing is known.
[[nodiscard]] double p_value(const Estimate& estimate);
// The same of pairs that alone told their spread: as wide, and as large, as their signed ranks say
// where that is more. Noise that meets both programs alike does not mislead these, whatever its
// shape: beside what has a core for half of the time a pair differs by a factor, not by an error.
[[nodiscard]] stats::Interval interval(Pairs pairs, const Estimate& estimate, double error);
[[nodiscard]] double p_value(Pairs pairs, const Estimate& estimate);

enum class Decision : std::uint8_t { kInconclusive, kOk, kRegression, kImprovement };
// `cost` is the interval of the mean launch, in which rare slow ones count; only kOk asks for it.
[[nodiscard]] Decision decide(const stats::Interval& typical, const stats::Interval& cost,
                              double margin);

// The size of a change that was claimed because its estimate lay beyond `bound`, without what being
// claimed adds: the size of which half of all estimates that pass lie below this one. Not below
// `margin`. Sizes of improvements are negated by the caller.
[[nodiscard]] double claimed_size(const Estimate& estimate, double bound, double margin);

}  // namespace stepbench::verdict
