// SPDX-License-Identifier: Apache-2.0
// How well the kernels of a trace fill each device, and when it was busy. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/analyze/steps.h"

namespace stepbench::analyze {

struct DeviceUse {
  int device = 0;
  // From the first step's start until all has ended that the steps launched; absent where no kernel
  // says it. Estimated.
  std::optional<double> sm_efficiency = {};      // 0..1 of the multiprocessors have a block
  std::optional<double> occupancy_percent = {};  // mean over the kernels' time
  // Share of each of kChunks equal parts, from the device's first row to its last one, in which it
  // did anything, 0..1. Empty where that is shorter than kChunks ns.
  static constexpr std::int64_t kChunks = 30;
  std::vector<double> busy_over_time = {};
};

// Of each device that ran work.
[[nodiscard]] std::vector<DeviceUse> find_device_use(const Timeline& timeline, const Steps& steps);

}  // namespace stepbench::analyze
