// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/trace_device.h"

#include <algorithm>
#include <string_view>

#include "harness/ops/op_log.h"

namespace stepbench::ops {

bool is_of_nvidia(const TraceDevice& device) {
  constexpr int kWarp = 32;
  constexpr std::string_view kOthers[] = {"AMD", "Radeon", "Instinct", "gfx", "Intel"};
  return device.compute_major > 0 && device.warp_size <= kWarp &&
         std::ranges::none_of(kOthers, [&](std::string_view maker) {
           return device.name.find(maker) != std::string::npos;
         });
}

std::int64_t occupancy_percent(const DeviceActivity& kernel, const TraceDevice& device) {
  constexpr std::int64_t kMaxBlocks = 32;
  const std::int64_t threads = volume(kernel.block);
  if (threads <= 0 || device.max_threads_per_multiprocessor <= 0) return 0;
  std::int64_t blocks = std::min(kMaxBlocks, device.max_threads_per_multiprocessor / threads);
  const std::int64_t registers = kernel.registers_per_thread * threads;
  if (registers > 0 && device.registers_per_block > 0) {
    blocks = std::min(blocks, device.registers_per_block / registers);
  }
  return 100 * blocks * threads / device.max_threads_per_multiprocessor;
}

std::int64_t blocks_per_sm_hundredths(const DeviceActivity& kernel, const TraceDevice& device) {
  if (device.multiprocessors <= 0) return 0;
  return volume(kernel.grid) * 100 / device.multiprocessors;
}

std::int64_t warps_per_sm_hundredths(const DeviceActivity& kernel, const TraceDevice& device) {
  if (device.multiprocessors <= 0) return 0;
  return volume(kernel.grid) * volume(kernel.block) * 100 /
         (std::int64_t{device.multiprocessors} * std::max(device.warp_size, 1));
}

}  // namespace stepbench::ops
