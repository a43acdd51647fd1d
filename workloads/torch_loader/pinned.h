// SPDX-License-Identifier: Apache-2.0
// Page-locked memory from torch's allocator, for loader.pin_memory.
#pragma once

#include <c10/core/Device.h>

#include <memory>

#include "workloads/loader/pinned_memory.h"

namespace stepbench::torch_loader {

// torch's caching allocator of page-locked memory, as used by Tensor.pin_memory(): sizes are
// rounded up to powers of two, and a block is reused once the copies from it are done. Initialises
// nothing before the first allocation. `device` must have an index; null if it is not a CUDA
// device.
[[nodiscard]] std::unique_ptr<loader::PinnedMemory> pinned_memory(c10::Device device);

}  // namespace stepbench::torch_loader
