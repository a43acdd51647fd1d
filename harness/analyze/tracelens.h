// SPDX-License-Identifier: Apache-2.0
// TraceLens' timeline of a device: from its first row to its last one, what it did and when it did
// nothing. Host time before the first kernel is not in it, so that a starved single step looks
// busy: for where a step's time went see idle.h. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/analyze/steps.h"
#include "harness/analyze/value_or_reason.h"

namespace stepbench::analyze {

// total = computation + exposed_communication + exposed_copies + idle; exact.
struct DeviceTimeline {
  static constexpr WindowKind kWindow = WindowKind::kDeviceSpan;

  int device = 0;
  TimeSpan window = {};
  std::int64_t computation_ns = 0;  // kernels and sets, without NCCL's
  std::int64_t communication_ns = 0;
  std::int64_t copies_ns = 0;
  std::int64_t exposed_communication_ns = 0;
  std::int64_t exposed_copies_ns = 0;
  std::int64_t busy_ns = 0;
  std::int64_t idle_ns = 0;
  // Share of each of kChunks equal parts of the window in which the device did anything, 0..1: is
  // it idle everywhere, or now and then? Empty where the window is shorter than that in ns.
  static constexpr std::int64_t kChunks = 30;
  std::vector<double> busy_over_time = {};
};

[[nodiscard]] ValueOrReason<std::vector<DeviceTimeline>> device_timelines(const Timeline& timeline);

}  // namespace stepbench::analyze
