// SPDX-License-Identifier: Apache-2.0
// Step times of the launches of two compared sides, on a clock common to all of them. Pure; any
// thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/estimate/launch_estimate.h"

namespace stepbench::estimate {

struct StepTimes {
  StepClock clock = StepClock::kHost;
  bool latency = false;  // the values are latencies: schedule.sync: step
  // Some launches have device times and others do not: there is no common clock, and the others
  // have no value.
  bool mixed = false;
  // Some launches record device spans of steps (files before 1.3), others the time from step to
  // step: all use the host's clock.
  bool spans = false;
  std::vector<double> base;  // headline_ns() of each launch; NaN if it has no steps
  std::vector<double> candidate;
};

using Estimates = std::vector<std::optional<LaunchEstimate>>;
[[nodiscard]] Estimates estimates_of(std::span<const record::Launch* const> launches);

[[nodiscard]] StepTimes step_times(const Estimates& base, const Estimates& candidate);
[[nodiscard]] StepTimes step_times(std::span<const record::Launch* const> base,
                                   std::span<const record::Launch* const> candidate);

}  // namespace stepbench::estimate
