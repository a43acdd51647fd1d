// SPDX-License-Identifier: Apache-2.0
// Counts that were declared exact and are neither better nor worse by themselves: kernels, copies,
// parameters. A change of one explains a verdict and never is one.
#pragma once

#include <string>
#include <vector>

#include "harness/compare/case_metrics.h"
#include "harness/record/reader.h"

namespace stepbench {

// "kernels 120 -> 132, counted exactly in profiled launches". Only counts that every launch of a
// side repeats. Timed launches speak for what they report, profiled ones for the rest.
struct CountedLaunches {
  std::vector<const Launch*> timed = {};
  std::vector<const Launch*> profiled = {};
};
[[nodiscard]] std::vector<std::string> exact_count_notes(const CountedLaunches& base,
                                                         const CountedLaunches& candidate,
                                                         const std::vector<Metric>& columns);

// Takes counts out of what is asked that vary between the launches of a side: by chance, so that no
// verdict is passed on them. Returns what to say of each.
[[nodiscard]] std::vector<std::string> take_varying_counts(std::vector<MetricQuestion>& asked);

}  // namespace stepbench
