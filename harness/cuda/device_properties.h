// SPDX-License-Identifier: Apache-2.0
// What the CUDA runtime says of a device, for the header of a trace: readers make occupancy and
// shares of memory of it.
#pragma once

#include "harness/cuda/cuda_api.h"
#include "harness/ops/trace_device.h"

namespace stepbench::cuda {

// What cannot be asked stays 0. Needs a device that device_missing() finds nothing wrong with.
[[nodiscard]] ops::TraceDevice device_properties(const CudaApi& api, int ordinal);

}  // namespace stepbench::cuda
