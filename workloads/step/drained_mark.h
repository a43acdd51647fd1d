// SPDX-License-Identifier: Apache-2.0
// A moment behind all that a device was given until then: the window of a workload whose work is
// the copies and exchanges themselves begins behind what the warm-up has enqueued, and ends on an
// idle device.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <cstdint>
#include <memory>

#include "harness/base/clock.h"

namespace stepbench::step {

struct DrainedMark {
  std::int64_t host_ns = 0;
  std::shared_ptr<c10::Event> passed = {};  // on the stream that computes; null on the CPU
};

// Waits for nothing.
[[nodiscard]] DrainedMark mark_now(const Clock& clock, c10::Device device);

// On a device it waits until `end` has passed.
[[nodiscard]] std::int64_t ns_between(const DrainedMark& begin, const DrainedMark& end);

}  // namespace stepbench::step
