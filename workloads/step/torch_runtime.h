// SPDX-License-Identifier: Apache-2.0
// torch's functions besides tensors, without CUDA headers: its device and memory, the moment when a
// device has finished its work, exceptions, versions and threads.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>
#include <c10/util/Exception.h>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/cuda/allocator.h"
#include "harness/measure/phase.h"
#include "harness/record/rows.h"

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

// The moment when a device has finished all work enqueued so far. For workloads that only copy or
// exchange: their window begins after the warm-up's enqueued work and ends on an idle device.

struct DrainedMark {
  std::int64_t host_ns = 0;
  std::shared_ptr<c10::Event> passed = {};  // on the compute stream; null on the CPU
};

// Never waits.
[[nodiscard]] DrainedMark mark_now(const Clock& clock, c10::Device device);

// On a device, waits until `end` has passed.
[[nodiscard]] std::int64_t ns_between(const DrainedMark& begin, const DrainedMark& end);

// Converts torch's exceptions to Error.

// Runs `body`; converts an error of torch to an Error with its message but without its stack trace,
// short enough for a table row.
template <typename Body>
decltype(auto) with_torch_errors(Body&& body) {
  try {
    return body();
  } catch (const c10::Error& error) {
    throw Error(error.what_without_backtrace());
  }
}

// Versions of libtorch and its thread settings.

// Versions and settings of libtorch for `hello`. Makes no CUDA call.
[[nodiscard]] Fields torch_software();
void set_torch_threads(int intra_op, int inter_op);

}  // namespace stepbench::step
