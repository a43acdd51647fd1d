// SPDX-License-Identifier: Apache-2.0
// Labels a launch's steps and row with machine conditions during the launch. Never drops data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/machine/device_sampler.h"
#include "harness/protocol/messages.h"
#include "harness/run/worker_watch.h"

namespace stepbench::run {

// Sets kThrottled in the flags of steps during which the device was throttled. `window_begins`:
// start of each cycle's window, on the clock of `throttled`. Returns the number of such steps.
std::int64_t label_throttled_steps(std::vector<record::CycleSamples>& samples,
                                   std::span<const std::int64_t> window_begins,
                                   std::span<const machine::DeviceSampler::Span> throttled);

// Adds the memory held by all processes of the job, as the metric of that name.
void label_memory(const JobMemory& memory, record::LaunchReport& report);

// Sets the flags for conditions that must be reported, see record/quality.h.
void label_machine(const Fields& machine, std::int64_t wall_ns, record::LaunchReport& report);

}  // namespace stepbench::run
