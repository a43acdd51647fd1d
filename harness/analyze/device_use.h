// SPDX-License-Identifier: Apache-2.0
// How well kernels fill each device, and when the device was busy. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/analyze/steps.h"

namespace stepbench::analyze {

struct DeviceUse {
  int device = 0;
  // Estimates, from the start of the first step to the end of the last work that the steps
  // launched; absent if no kernel records them.
  std::optional<double> sm_efficiency = {};      // share of multiprocessors with a block, 0..1
  std::optional<double> occupancy_percent = {};  // mean over kernel time
  // Busy share, 0..1, of each of kChunks equal parts between the device's first and last row. Empty
  // if that range is shorter than kChunks ns.
  static constexpr std::int64_t kChunks = 30;
  std::vector<double> busy_over_time = {};
};

// One entry per device that ran work.
[[nodiscard]] std::vector<DeviceUse> find_device_use(const Timeline& timeline, const Steps& steps);

}  // namespace stepbench::analyze
