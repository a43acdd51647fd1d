// SPDX-License-Identifier: Apache-2.0
// Variance components of nested values: steps within launches, launches within runs, runs of
// builds. Estimates by mean squares; see Kalibera and Jones, "Rigorous benchmarking in reasonable
// time", ISMM 2013. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/stats/order_statistics.h"

namespace stepbench::estimate {

// The variance of a mean of n successive values, times n: for independent values their variance,
// more if neighbours are correlated.
struct LongRunVariance {
  double variance = 0;
  double degrees = 0;  // approximate; 0: no series has four blocks
  // True if neighbouring blocks are so correlated that the series are too short: values wander more
  // slowly than a series lasts, and `variance` is meaningless.
  bool too_slow = false;
};

// `blocks`: means of equally many successive values, relative to their series' level (1 = the
// level), for several independent series; `lengths`: values per block of each series. The
// autocorrelation is estimated from all series together, after removing the common pattern by
// position.
[[nodiscard]] LongRunVariance long_run_variance(std::span<const std::vector<double>> blocks,
                                                std::span<const double> lengths);

struct MeanSquare {
  double value = 0;
  double degrees = 0;
};

// outer - inner, with a two-sided interval (Ting, Burdick, Graybill, Jeyaratnam and Lu 1990) for
// normal data. Both ends and the estimate are at least 0.
struct VarianceDifference {
  double value = 0;
  stats::Interval interval = {};
};
[[nodiscard]] VarianceDifference variance_difference(const MeanSquare& outer,
                                                     const MeanSquare& inner, double confidence);

// A value in nested groups, such as launches of runs of builds: `inner` numbers its group, `outer`
// that group's group.
struct NestedValue {
  std::size_t outer = 0;
  std::size_t inner = 0;  // unique over all outer groups
  double value = 0;
};
struct NestedVariances {
  std::size_t outer_groups = 0;
  std::size_t inner_groups = 0;
  double within = 0;              // among values of an inner group
  VarianceDifference inner = {};  // between inner groups of one outer group
  VarianceDifference outer = {};  // between outer groups
  bool inner_known = false;  // needs two inner groups in one outer group, two values in one group
  bool outer_known = false;  // also needs two outer groups
};
// Analysis of variance for groups of unequal sizes (Searle, Casella and McCulloch 1992).
[[nodiscard]] NestedVariances nested_variances(std::span<const NestedValue> values,
                                               double confidence);

}  // namespace stepbench::estimate
