// SPDX-License-Identifier: Apache-2.0
// Page-locked memory from torch's allocator, for loader.pin_memory.
#pragma once

#include <c10/core/Device.h>

#include <memory>

#include "workloads/loader/pinned_memory.h"

namespace stepbench::torch_loader {

// torch's caching allocator of page-locked memory, the one that Tensor.pin_memory() uses: sizes are
// rounded up to powers of two, and a piece is given out again once the copies from it are done.
// Nothing is initialised before the first allocation. `device` has an index; null when it is no
// CUDA device.
[[nodiscard]] std::unique_ptr<loader::PinnedMemory> pinned_memory(c10::Device device);

}  // namespace stepbench::torch_loader
