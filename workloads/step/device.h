// SPDX-License-Identifier: Apache-2.0
// The step's device functions besides tensors, without CUDA headers.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <string>

#include "harness/cuda/allocator.h"
#include "harness/measure/phase.h"

namespace stepbench {
enum class Edge : std::uint8_t;
}  // namespace stepbench

namespace stepbench::step {

// "cpu", "cuda" (= cuda:0) or "cuda:N". Throws ConfigError at `device` otherwise.
[[nodiscard]] c10::Device parse_device(const std::string& text);

// Returns why the device cannot be used here, or nullopt. The first call that may initialise CUDA.
[[nodiscard]] std::optional<std::string> device_unavailable(c10::Device device);

void synchronize_device(c10::Device device);  // returns at once on the CPU

[[nodiscard]] DeviceStream current_stream(c10::Device device);

// Returns freed blocks of torch's caching allocator to the device.
void release_cached_memory(c10::Device device);

// Peaks of that allocator since the last reset; nullopt on the CPU.
void reset_peak_memory(c10::Device device);
[[nodiscard]] std::optional<cuda::AllocatorCounters> device_memory(c10::Device device);

// Call at the borders of a window: records the allocator's activity in it. nullopt on the CPU.
void mark_memory(Edge edge, c10::Device device, std::optional<cuda::AllocatorWindow>& window);

}  // namespace stepbench::step
