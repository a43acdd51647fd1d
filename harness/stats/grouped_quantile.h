// SPDX-License-Identifier: Apache-2.0
// Quantiles of grouped values, where only the groups are independent: launches, or stretches of a
// queue. Pure; any thread.
#pragma once

#include <optional>
#include <span>

namespace stepbench::stats {

// A bound is missing if the sample is too small for it.
struct GroupedQuantile {
  double value = 0;  // all values together
  std::optional<double> low = {};
  std::optional<double> high = {};
};

// 0 < q < 1. The interval lies between two order statistics of all values (Woodruff 1952). Their
// ranks are those of an effective sample of independent values, whose size follows from the spread
// of the groups' shares below the quantile and Student's t for this number of groups (Korn and
// Graubard 1998). For homogeneous groups it is the exact interval of order statistics. nullopt for
// fewer than two groups, or if one is empty.
[[nodiscard]] std::optional<GroupedQuantile> grouped_quantile(
    std::span<const std::span<const double>> groups, double q, double confidence);

}  // namespace stepbench::stats
