// SPDX-License-Identifier: Apache-2.0
// Properties of a device from the CUDA runtime, for the header of a trace: readers derive occupancy
// and shares of memory from them.
#pragma once

#include "harness/cuda/cuda_api.h"
#include "harness/ops/trace_device.h"

namespace stepbench::cuda {

// Unavailable values stay 0. Requires a device for which device_missing() returns an empty text.
[[nodiscard]] ops::TraceDevice device_properties(const CudaApi& api, int ordinal);

}  // namespace stepbench::cuda
