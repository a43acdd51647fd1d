// SPDX-License-Identifier: Apache-2.0
// Calls of the CUDA or HIP runtime and driver that start kernels or graphs. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "harness/ops/op_log.h"

namespace stepbench::ops {

// Libraries launch through the runtime (cudaLaunchKernel, since CUDA 13 __cudaLaunchKernel) or past
// it through the driver (cuLaunchKernelEx), and the runtime itself calls the driver.
struct LaunchCall {
  const DeviceActivity* call = nullptr;  // the outermost one
  std::uint64_t inner = 0;               // correlation of a call that it made; 0: none
};

[[nodiscard]] bool starts_work(std::string_view call);

// Calls in which the host waits for the device: cudaDeviceSynchronize, cudaStreamSynchronize, ...
[[nodiscard]] bool waits_for_device(std::string_view call);

// Profilers record queries as synchronisations, though nobody waits: from activity `first` on these
// are named "Event Query" and "Stream Query".
void name_queries(OpLog& log, std::size_t first);

// Of these activities, in any order. A call during another one of its thread, or with the
// correlation of another one, is part of that one.
[[nodiscard]] std::vector<LaunchCall> launch_calls(std::span<const DeviceActivity> activities,
                                                   std::span<const std::string> names);

// How many of them left no record of a kernel, a copy or a set; `failed`: correlations of calls
// that started nothing.
[[nodiscard]] std::int64_t launches_without_record(std::span<const DeviceActivity> activities,
                                                   std::span<const std::string> names,
                                                   const std::unordered_set<std::uint64_t>& failed);

}  // namespace stepbench::ops
