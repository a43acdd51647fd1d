// SPDX-License-Identifier: Apache-2.0
// Parts of a loader that torch supplies: the engine torch_cpp, which is libtorch's own DataLoader
// behind the interface of loader.h, and page-locked memory from torch's allocator.
#pragma once

#include <c10/core/Device.h>
#include <memory>
#include <vector>

#include "workloads/loader/engines.h"
#include "workloads/loader/loader.h"

namespace stepbench::transfer {

// Engine `torch_cpp`: torch::data::DataLoader unmodified, with max_jobs = prefetch_factor *
// workers. Its threads share one queue of jobs and live as long as the loader. Does not report what
// it cannot observe: a worker's wait to hand over a batch counts as idle time. After an error it
// prefetches one batch less, and after max_jobs errors it ends the epoch early; missing samples
// count as lost. `dataset` and `clock` must outlive it; the data set must be map-style.
[[nodiscard]] std::unique_ptr<loader::Loader> make_torch_cpp_loader(
    const data::Dataset& dataset, const loader::LoaderOptions& options, loader::EpochOrder order,
    const Clock& clock);

// The table of engines() with the maker of torch_cpp.
[[nodiscard]] const std::vector<loader::Engine>& torch_engines();

// Page-locked memory from torch's allocator, for loader.pin_memory.

// torch's caching allocator of page-locked memory, as used by Tensor.pin_memory(): sizes are
// rounded up to powers of two, and a block is reused once the copies from it are done. Initialises
// nothing before the first allocation. `device` must have an index; null if it is not a CUDA
// device.
[[nodiscard]] std::unique_ptr<loader::PinnedMemory> pinned_memory(c10::Device device);

}  // namespace stepbench::transfer
