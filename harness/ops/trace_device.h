// SPDX-License-Identifier: Apache-2.0
// Properties of a device recorded in a trace, and values derived from them for a kernel's grid.
// Plain data and pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace stepbench::ops {

struct DeviceActivity;

// Zero: unknown.
struct TraceDevice {
  int id = 0;
  std::string name = {};
  std::int64_t total_memory_bytes = 0;
  int compute_major = 0;
  int compute_minor = 0;
  int max_threads_per_block = 0;
  int max_threads_per_multiprocessor = 0;
  int registers_per_block = 0;
  int warp_size = 32;
  std::int64_t shared_memory_per_block = 0;
  int multiprocessors = 0;

  friend bool operator==(const TraceDevice&, const TraceDevice&) = default;
};

// Other makers report a compute capability with another meaning: MI300X reports 9.4.
[[nodiscard]] bool is_of_nvidia(const TraceDevice& device);

[[nodiscard]] inline std::int64_t volume(const std::int32_t (&extent)[3]) {
  return std::int64_t{extent[0]} * extent[1] * extent[2];
}

// Resident / maximum threads, as limited by threads, registers and blocks. 0: unknown.
[[nodiscard]] std::int64_t occupancy_percent(const DeviceActivity& kernel,
                                             const TraceDevice& device);

// Blocks and warps of the grid per multiprocessor, in hundredths, rounded down; 0: unknown.
[[nodiscard]] std::int64_t blocks_per_sm_hundredths(const DeviceActivity& kernel,
                                                    const TraceDevice& device);
[[nodiscard]] std::int64_t warps_per_sm_hundredths(const DeviceActivity& kernel,
                                                   const TraceDevice& device);

}  // namespace stepbench::ops
