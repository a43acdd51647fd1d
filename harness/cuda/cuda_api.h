// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA runtime that the harness calls, found at run time: programs link no CUDA
// library and start on machines without one. Results are cudaError_t as integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace stepbench::cuda {

using CudaEvent = void*;   // cudaEvent_t
using CudaStream = void*;  // cudaStream_t; null = legacy default stream

inline constexpr int kCudaSuccess = 0;
inline constexpr int kCudaInsufficientDriver = 35;  // older than the runtime, or none at all
inline constexpr int kCudaNoDevice = 100;
inline constexpr int kCudaNotReady = 600;
inline constexpr int kCudaHostToDevice = 1;  // cudaMemcpyKind

struct CudaApi {
  // 13000 is 13.0: the newest CUDA that the driver can run, 0 without one, and the runtime's own.
  std::function<int(int* version)> driver_version;
  std::function<int(int* version)> runtime_version;
  std::function<int(int* count)> device_count;
  std::function<int(int ordinal)> set_device;  // of the calling thread
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
  // Of the driver; empty and 0 where it has none of these.
  std::function<std::string(int ordinal)> device_name;
  std::function<std::int64_t(int ordinal)> device_memory_bytes;
  // "0000:17:00.0", by which other libraries know the same card; empty where it is not told.
  std::function<std::string(int ordinal)> device_pci;
};

// The runtime that this process has loaded already, else the loader's; the reason when there is
// none.
[[nodiscard]] std::variant<CudaApi, std::string> load_cuda_api();

// Of an option `device`: "cuda" is 0, "cuda:2" is 2; nullopt for other devices.
[[nodiscard]] std::optional<int> cuda_ordinal(std::string_view device);

// Why `ordinal` cannot be used, or nothing: empty. Initialises CUDA. Without a driver or a device
// that is kNoDevice.
inline constexpr std::string_view kNoDevice = "no CUDA device";
[[nodiscard]] std::string device_missing(const CudaApi& api, int ordinal);

// 12080 -> "12.8"
[[nodiscard]] std::string cuda_version_text(int version);

// "cudaEventRecord: cudaErrorInvalidValue (1)"
[[nodiscard]] std::string cuda_failure(const CudaApi& api, const char* call, int code);

}  // namespace stepbench::cuda
