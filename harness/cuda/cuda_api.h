// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA runtime that the harness calls, found at run time: programs link no CUDA
// library and start on machines without one. Results are cudaError_t as integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>

namespace stepbench::cuda {

using CudaEvent = void*;   // cudaEvent_t
using CudaStream = void*;  // cudaStream_t; null = legacy default stream

inline constexpr int kCudaSuccess = 0;
inline constexpr int kCudaInsufficientDriver = 35;  // also: there is no driver
inline constexpr int kCudaNoDevice = 100;
inline constexpr int kCudaNotReady = 600;
inline constexpr int kCudaHostToDevice = 1;  // cudaMemcpyKind

struct CudaApi {
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
};

// The runtime that this process has loaded already, else the loader's; the reason when there is
// none.
[[nodiscard]] std::variant<CudaApi, std::string> load_cuda_api();

// Why `ordinal` cannot be used, or nothing: empty. Initialises CUDA.
[[nodiscard]] std::string device_missing(const CudaApi& api, int ordinal);

// "cudaEventRecord: cudaErrorInvalidValue (1)"
[[nodiscard]] std::string cuda_failure(const CudaApi& api, const char* call, int code);

}  // namespace stepbench::cuda
