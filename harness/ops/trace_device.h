// SPDX-License-Identifier: Apache-2.0
// Properties of a device recorded in a trace. Plain data; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace stepbench::ops {

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

}  // namespace stepbench::ops
