// SPDX-License-Identifier: Apache-2.0
// Converts a device's own counters into metrics per step. Pure.
#pragma once

#include <vector>

#include "harness/machine/device_sampler.h"
#include "harness/protocol/messages.h"

namespace stepbench::run {

// Adds energy_per_step_j, energy_per_sample_j and the time per step that each counted reason held
// the clocks down, as far as the device counts them. Counters are read slightly before and after
// each window: their rate over that interval is applied to the steps' own time.
void add_device_counters(const machine::WindowCounters& counters,
                         const std::vector<record::CycleSamples>& samples,
                         record::LaunchReport& report);

}  // namespace stepbench::run
