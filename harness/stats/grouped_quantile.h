// SPDX-License-Identifier: Apache-2.0
// Quantiles of values that come in groups, of which only the groups are independent of each other:
// launches, or stretches of a queue. Pure; any thread.
#pragma once

#include <optional>
#include <span>

namespace stepbench::stats {

// A bound is missing where the sample cannot hold it.
struct GroupedQuantile {
  double value = 0;  // of all values together
  std::optional<double> low = {};
  std::optional<double> high = {};
};

// 0 < q < 1. The interval lies between two order statistics of all values together (Woodruff 1952),
// whose ranks are those of a sample of as many independent values as these are worth: their number
// by the spread of the groups' shares below the quantile, and by Student's t of so many groups
// (Korn and Graubard 1998). With groups that are alike it is the exact interval of order
// statistics. nullopt of fewer than two groups, or of an empty one.
[[nodiscard]] std::optional<GroupedQuantile> grouped_quantile(
    std::span<const std::span<const double>> groups, double q, double confidence);

}  // namespace stepbench::stats
