// SPDX-License-Identifier: Apache-2.0
// A whole night: judge, measure what it owes, record what that said, judge again. What `track
// check` and `nightly` do, without a store and without programs, so that lives of hundreds of
// nights can be simulated through it. Any thread.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "harness/track/due.h"
#include "harness/track/night.h"

namespace stepbench::track {

struct NightCycle {
  // Measures some of what is due; what it leaves out was not measured. Empty: nothing is measured.
  std::function<std::vector<MeasuredSuspect>(std::span<const DueMeasurement>)> measure = {};
  // Writes author and time into the events, and puts them where they last.
  std::function<void(std::span<TrackEvent>)> record = {};
  // Asked before each round of measurements: a signal came.
  std::function<bool()> is_interrupted = {};
};

// `events`: all so far; new ones are added. `input.events` is set here.
[[nodiscard]] Night run_night(NightInput input, std::vector<TrackEvent>& events,
                              const NightCycle& cycle);

}  // namespace stepbench::track
