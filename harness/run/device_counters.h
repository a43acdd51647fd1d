// SPDX-License-Identifier: Apache-2.0
// What a device's own counters say of a launch, as metrics per step. Pure.
#pragma once

#include <vector>

#include "harness/machine/device_sampler.h"
#include "harness/protocol/messages.h"

namespace stepbench::run {

// energy_per_step_j, energy_per_sample_j and the time per step that each counted reason held the
// clocks down, as far as the device counts them. The counters are read a moment before and after
// each window: what they grew by per time of theirs is taken for that of the steps' own time.
void add_device_counters(const machine::WindowCounters& counters,
                         const std::vector<record::CycleSamples>& samples,
                         record::LaunchReport& report);

}  // namespace stepbench::run
