// SPDX-License-Identifier: Apache-2.0
// CUDA or HIP runtime and driver calls that start kernels or graphs. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "harness/ops/op_log.h"

namespace stepbench::ops {

// Libraries launch through the runtime (cudaLaunchKernel; since CUDA 13 __cudaLaunchKernel) or
// directly through the driver (cuLaunchKernelEx). The runtime itself calls the driver.
struct LaunchCall {
  const DeviceActivity* call = nullptr;  // the outermost call
  std::uint64_t inner = 0;               // correlation of a nested call; 0: none
};

[[nodiscard]] bool starts_work(std::string_view call);

// True if the host waits for the device: cudaDeviceSynchronize, cudaStreamSynchronize, ...
[[nodiscard]] bool waits_for_device(std::string_view call);

// Profilers record queries as synchronisations, although nothing waits. Renames these, from
// activity `first` on, to "Event Query" and "Stream Query".
void name_queries(OpLog& log, std::size_t first);

// Returns the launching calls among these activities, which may be in any order. A call during
// another one on its thread, or with another one's correlation, is part of that one.
[[nodiscard]] std::vector<LaunchCall> launch_calls(std::span<const DeviceActivity> activities,
                                                   std::span<const std::string> names);

// Returns how many of them have no record of a kernel, copy or set. `failed`: correlations of calls
// that started nothing.
[[nodiscard]] std::int64_t launches_without_record(std::span<const DeviceActivity> activities,
                                                   std::span<const std::string> names,
                                                   const std::unordered_set<std::uint64_t>& failed);

}  // namespace stepbench::ops
