// SPDX-License-Identifier: Apache-2.0
// What a trace says of a device, and the numbers that readers make of a kernel's grid with it.
// Plain data and pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace stepbench::ops {

struct DeviceActivity;

// Zero: not known.
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

// Other makers give a compute capability too, of another meaning: MI300X says 9.4.
[[nodiscard]] bool is_of_nvidia(const TraceDevice& device);

[[nodiscard]] inline std::int64_t volume(const std::int32_t (&extent)[3]) {
  return std::int64_t{extent[0]} * extent[1] * extent[2];
}

// Resident threads over what a multiprocessor holds, as far as threads, registers and the number of
// blocks bound them. 0: not known.
[[nodiscard]] std::int64_t occupancy_percent(const DeviceActivity& kernel,
                                             const TraceDevice& device);

// Blocks and warps of the grid for each multiprocessor in hundredths, rounded down; 0: not known.
[[nodiscard]] std::int64_t blocks_per_sm_hundredths(const DeviceActivity& kernel,
                                                    const TraceDevice& device);
[[nodiscard]] std::int64_t warps_per_sm_hundredths(const DeviceActivity& kernel,
                                                   const TraceDevice& device);

}  // namespace stepbench::ops
