// SPDX-License-Identifier: Apache-2.0
// What the machine did while a launch ran, turned into labels of its steps and its row. Nothing is
// dropped.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/machine/device_sampler.h"
#include "harness/protocol/messages.h"
#include "harness/run/worker_watch.h"

namespace stepbench::run {

// Sets kThrottled in the flags of steps during which the device was slowed down. `window_begins`:
// when the window of each cycle began, on the clock of `throttled`. Returns how many steps.
std::int64_t label_throttled_steps(std::vector<record::CycleSamples>& samples,
                                   std::span<const std::int64_t> window_begins,
                                   std::span<const machine::DeviceSampler::Span> throttled);

// What the job held in all of its processes, as the metric of that name.
void label_memory(const JobMemory& memory, record::LaunchReport& report);

// The flags of what is to be told of the machine, see record/quality.h.
void label_machine(const Fields& machine, std::int64_t wall_ns, record::LaunchReport& report);

}  // namespace stepbench::run
