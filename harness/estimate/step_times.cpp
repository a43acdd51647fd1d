// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/step_times.h"

#include <limits>

namespace stepbench::estimate {
namespace {

std::vector<double> values_of(const Estimates& estimates, StepClock clock) {
  std::vector<double> values;
  values.reserve(estimates.size());
  for (const auto& estimate : estimates) {
    const bool timed =
        estimate && (clock != StepClock::kDevice || estimate->device_ns || estimate->latency);
    values.push_back(timed ? headline_ns(*estimate, clock)
                           : std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

}  // namespace

Estimates estimates_of(std::span<const record::Launch* const> launches) {
  Estimates estimates;
  estimates.reserve(launches.size());
  for (const record::Launch* launch : launches) estimates.push_back(estimate_of(*launch));
  return estimates;
}

StepTimes step_times(std::span<const record::Launch* const> base,
                     std::span<const record::Launch* const> candidate) {
  return step_times(estimates_of(base), estimates_of(candidate));
}

StepTimes step_times(const Estimates& base, const Estimates& candidate) {
  std::optional<StepClock> clock;
  StepTimes times;
  bool timed = false;
  bool untimed = false;
  bool spans = false;
  bool periods = false;
  for (const Estimates* side : {&base, &candidate}) {
    for (const auto& estimate : *side) {
      if (!estimate) continue;
      timed = timed || estimate->device_ns.has_value();
      untimed = untimed || (estimate->on_device && !estimate->device_ns);
      spans = spans || estimate->device_spans;
      periods = periods || (estimate->device_ns && !estimate->device_spans);
      clock = clock ? common(*clock, clock_of(*estimate)) : clock_of(*estimate);
      times.latency = times.latency || estimate->latency.has_value();
    }
  }
  times.clock = clock.value_or(StepClock::kHost);
  times.mixed = timed && untimed && !times.latency;
  times.spans = spans && periods && !times.mixed && !times.latency;
  if (times.mixed) times.clock = StepClock::kDevice;
  if (times.spans) times.clock = StepClock::kHost;
  times.base = values_of(base, times.clock);
  times.candidate = values_of(candidate, times.clock);
  return times;
}

}  // namespace stepbench::estimate
