// SPDX-License-Identifier: Apache-2.0
// Without a GPU, `gpu_tests --rehearse` checks the tests themselves: the CPU replaces the device,
// and events are readings of the host's clock.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>

#include "harness/base/clock.h"
#include "harness/cuda/cuda_api.h"

namespace stepbench::gpu {

// Set once, by main().
inline bool& rehearsing() {
  static bool is = false;
  return is;
}

[[nodiscard]] inline c10::Device tested_device() {
  return rehearsing() ? c10::Device(c10::kCPU) : c10::Device(c10::kCUDA, 0);
}

[[nodiscard]] inline cuda::CudaApi rehearsed_device() {
  const auto ns = [](cuda::CudaEvent event) { return static_cast<std::int64_t*>(event); };
  cuda::CudaApi api;
  const auto version = [](int* out) {
    *out = 13000;
    return cuda::kCudaSuccess;
  };
  api.driver_version = version;
  api.runtime_version = version;
  api.device_pci = [](int) { return std::string(); };
  api.device_count = [](int* count) {
    *count = 1;
    return cuda::kCudaSuccess;
  };
  api.set_device = [](int) { return cuda::kCudaSuccess; };
  api.device_synchronize = [] { return cuda::kCudaSuccess; };
  api.event_create = [](cuda::CudaEvent* event) {
    *event = new std::int64_t(0);
    return cuda::kCudaSuccess;
  };
  api.event_destroy = [ns](cuda::CudaEvent event) {
    delete ns(event);
    return cuda::kCudaSuccess;
  };
  api.event_record = [ns](cuda::CudaEvent event, cuda::CudaStream) {
    *ns(event) = HostClock().now_ns();
    return cuda::kCudaSuccess;
  };
  api.event_query = [](cuda::CudaEvent) { return cuda::kCudaSuccess; };
  api.event_synchronize = [](cuda::CudaEvent) { return cuda::kCudaSuccess; };
  api.event_elapsed_ms = [ns](float* ms, cuda::CudaEvent from, cuda::CudaEvent to) {
    *ms = static_cast<float>(1e-6 * static_cast<double>(*ns(to) - *ns(from)));
    return cuda::kCudaSuccess;
  };
  api.profiler_start = [] { return cuda::kCudaSuccess; };
  api.profiler_stop = [] { return cuda::kCudaSuccess; };
  api.error_name = [](int) { return std::string("rehearsed"); };
  return api;
}

}  // namespace stepbench::gpu
