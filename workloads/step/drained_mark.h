// SPDX-License-Identifier: Apache-2.0
// The moment when a device has finished all work enqueued so far. For workloads that only copy or
// exchange: their window begins after the warm-up's enqueued work and ends on an idle device.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <cstdint>
#include <memory>

#include "harness/base/clock.h"

namespace stepbench::step {

struct DrainedMark {
  std::int64_t host_ns = 0;
  std::shared_ptr<c10::Event> passed = {};  // on the compute stream; null on the CPU
};

// Never waits.
[[nodiscard]] DrainedMark mark_now(const Clock& clock, c10::Device device);

// On a device, waits until `end` has passed.
[[nodiscard]] std::int64_t ns_between(const DrainedMark& begin, const DrainedMark& end);

}  // namespace stepbench::step
