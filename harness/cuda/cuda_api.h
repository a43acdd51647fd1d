// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA runtime that the harness calls, loaded at run time: programs link no CUDA
// library and start on machines without one. Results are cudaError_t as integers. The properties of
// a device are at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "harness/ops/op_log.h"

namespace stepbench::cuda {

using CudaEvent = void*;   // cudaEvent_t
using CudaStream = void*;  // cudaStream_t; null = legacy default stream

inline constexpr int kCudaSuccess = 0;
inline constexpr int kCudaInsufficientDriver = 35;  // driver older than the runtime, or missing
inline constexpr int kCudaNoDevice = 100;
inline constexpr int kCudaNotReady = 600;
inline constexpr int kCudaHostToDevice = 1;  // cudaMemcpyKind

struct CudaApi {
  // 13000 is 13.0. driver_version: the newest CUDA that the driver supports, 0 without a driver;
  // runtime_version: that of the runtime.
  std::function<int(int* version)> driver_version;
  std::function<int(int* version)> runtime_version;
  std::function<int(int* count)> device_count;
  std::function<int(int ordinal)> set_device;  // for the calling thread
  std::function<int()> device_synchronize;
  std::function<int(CudaEvent*)> event_create;  // with timing
  std::function<int(CudaEvent)> event_destroy;
  std::function<int(CudaEvent, CudaStream)> event_record;
  std::function<int(CudaEvent)> event_query;
  std::function<int(CudaEvent)> event_synchronize;
  std::function<int(float* ms, CudaEvent from, CudaEvent to)> event_elapsed_ms;
  std::function<int(void* to, const void* from, std::size_t bytes, int kind, CudaStream)>
      memcpy_async;
  std::function<int()> profiler_start;
  std::function<int()> profiler_stop;
  std::function<std::string(int)> error_name;
  std::function<int(int* value, int attribute, int ordinal)> device_attribute;
  // From the driver; empty and 0 if it lacks these calls.
  std::function<std::string(int ordinal)> device_name;
  std::function<std::int64_t(int ordinal)> device_memory_bytes;
  // "0000:17:00.0", the id of the card in other libraries; empty if unknown.
  std::function<std::string(int ordinal)> device_pci;
};

// Uses the runtime that this process has already loaded, else searches for one; the reason on
// failure.
[[nodiscard]] std::variant<CudaApi, std::string> load_cuda_api();

// Parses an option `device`: "cuda" is 0, "cuda:2" is 2; nullopt for other devices.
[[nodiscard]] std::optional<int> cuda_ordinal(std::string_view device);

// Returns why `ordinal` cannot be used, empty if it can; kNoDevice without a driver or device.
// Initialises CUDA.
inline constexpr std::string_view kNoDevice = "no CUDA device";
[[nodiscard]] std::string device_missing(const CudaApi& api, int ordinal);

// 12080 -> "12.8"
[[nodiscard]] std::string cuda_version_text(int version);

// "cudaEventRecord: cudaErrorInvalidValue (1)"
[[nodiscard]] std::string cuda_failure(const CudaApi& api, const char* call, int code);

// Device properties for the header of a trace: readers derive occupancy and shares of memory from
// them.

// Unavailable values stay 0. Requires a device for which device_missing() returns an empty text.
[[nodiscard]] ops::TraceDevice device_properties(const CudaApi& api, int ordinal);

// Values of cudaDeviceAttr.

inline constexpr int kMaxThreadsPerBlock = 1;
inline constexpr int kMaxSharedMemoryPerBlock = 8;
inline constexpr int kWarpSize = 10;
inline constexpr int kMaxRegistersPerBlock = 12;
inline constexpr int kMultiprocessors = 16;
inline constexpr int kMaxThreadsPerMultiprocessor = 39;
inline constexpr int kComputeMajor = 75;
inline constexpr int kComputeMinor = 76;

}  // namespace stepbench::cuda
