// SPDX-License-Identifier: Apache-2.0
// Everything the step asks of a device beyond tensors, without CUDA headers.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <string>

namespace stepbench {

// "cpu", "cuda" (= cuda:0) or "cuda:N". Throws ConfigError at `device` otherwise.
[[nodiscard]] c10::Device parse_device(const std::string& text);

// Why the device cannot be used here, or nothing. The first call that may initialise CUDA.
[[nodiscard]] std::optional<std::string> device_unavailable(c10::Device device);

void synchronize_device(c10::Device device);  // returns at once on the CPU

// Of torch's caching allocator, since the last reset; nothing on the CPU.
struct DeviceMemory {
  std::int64_t peak_allocated_bytes = 0;
  std::int64_t peak_reserved_bytes = 0;
  std::int64_t device_allocations =
      0;  // calls to the driver so far: growth in a window means a short warm-up
};
void reset_peak_memory(c10::Device device);
[[nodiscard]] std::optional<DeviceMemory> device_memory(c10::Device device);

}  // namespace stepbench
