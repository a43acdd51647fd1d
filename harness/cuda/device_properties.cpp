// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/device_properties.h"

#include "harness/cuda/device_attributes.h"

namespace stepbench::cuda {

ops::TraceDevice device_properties(const CudaApi& api, int ordinal) {
  const auto attribute = [&](int which, int unknown = 0) {
    int value = 0;
    return api.device_attribute(&value, which, ordinal) == kCudaSuccess ? value : unknown;
  };
  const ops::TraceDevice defaults;
  return {.id = ordinal,
          .name = api.device_name(ordinal),
          .total_memory_bytes = api.device_memory_bytes(ordinal),
          .compute_major = attribute(kComputeMajor),
          .compute_minor = attribute(kComputeMinor),
          .max_threads_per_block = attribute(kMaxThreadsPerBlock),
          .max_threads_per_multiprocessor = attribute(kMaxThreadsPerMultiprocessor),
          .registers_per_block = attribute(kMaxRegistersPerBlock),
          .warp_size = attribute(kWarpSize, defaults.warp_size),
          .shared_memory_per_block = attribute(kMaxSharedMemoryPerBlock),
          .multiprocessors = attribute(kMultiprocessors)};
}

}  // namespace stepbench::cuda
