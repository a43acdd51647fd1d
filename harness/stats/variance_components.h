// SPDX-License-Identifier: Apache-2.0
// Where a spread comes from when values are nested: steps within launches, launches within runs,
// runs of builds. Estimates by mean squares; see Kalibera and Jones, "Rigorous benchmarking in
// reasonable time", ISMM 2013. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/stats/interval.h"

namespace stepbench::stats {

// The variance that a mean of n successive values has, times n: of independent values their
// variance, and more where neighbours are alike.
struct LongRunVariance {
  double variance = 0;
  double degrees = 0;  // of freedom, about; 0: no series has four blocks
  // Neighbouring blocks are so alike that these series are too short to tell: the values wander
  // more slowly than a series lasts, and `variance` means nothing.
  bool too_slow = false;
};

// Blocks of equally many successive values, as means relative to their own level (1 = the level),
// for each of several independent series; `lengths`: values in a block of each. The correlation of
// neighbouring blocks is taken from all series together, and what all of them do at the same place
// is taken out.
[[nodiscard]] LongRunVariance long_run_variance(std::span<const std::vector<double>> blocks,
                                                std::span<const double> lengths);

// A mean square and its degrees of freedom.
struct MeanSquare {
  double value = 0;
  double degrees = 0;
};

// outer - inner, and its two-sided interval (Ting, Burdick, Graybill, Jeyaratnam and Lu 1990),
// which holds for normal data. Both ends are cut off at 0, the estimate too.
struct VarianceDifference {
  double value = 0;
  Interval interval = {};
};
[[nodiscard]] VarianceDifference variance_difference(const MeanSquare& outer,
                                                     const MeanSquare& inner, double confidence);

// Values within groups within groups, such as launches of runs of builds: `inner` names the group
// of each value, `outer` that of its group, as numbers.
struct NestedValue {
  std::size_t outer = 0;
  std::size_t inner = 0;  // unique over all outer groups
  double value = 0;
};
struct NestedVariances {
  std::size_t outer_groups = 0;
  std::size_t inner_groups = 0;
  double within = 0;              // among the values of an inner group
  VarianceDifference inner = {};  // between inner groups of one outer group
  VarianceDifference outer = {};  // between outer groups
  bool inner_known = false;       // two inner groups in one outer group, two values in one group
  bool outer_known = false;       // also two outer groups
};
// By the analysis of variance for groups of unequal sizes (Searle, Casella and McCulloch 1992).
[[nodiscard]] NestedVariances nested_variances(std::span<const NestedValue> values,
                                               double confidence);

}  // namespace stepbench::stats
