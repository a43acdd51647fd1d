// SPDX-License-Identifier: Apache-2.0
// Parts of a loader that torch supplies: the engine torch_cpp, which is libtorch's own DataLoader
// behind the interface of loader.h; the exact sample order of Python's DataLoader, from torch's
// generator; and page-locked memory from torch's allocator.
#pragma once

#include <c10/core/Device.h>
#include <cstdint>
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

// The exact sample order of Python's DataLoader. Needs torch's generator.

struct OrderOptions {
  std::int64_t size = 0;         // samples in the data set
  std::int64_t num_samples = 0;  // per epoch, if they are drawn; 0: size
  bool shuffle = false;
  bool with_replacement = false;  // RandomSampler(replacement=True); overrides shuffle
  // WeightedRandomSampler(weights, num_samples, with_replacement)
  std::vector<double> weights = {};
  std::uint64_t seed = 0;
  bool one_iterator = false;  // persistent workers, or an endless sampler
};

// The sample order of Python's DataLoader(shuffle=...) whose epochs directly follow
// torch.manual_seed(seed). Each epoch's iterator draws a base seed and the sampler a sampler seed;
// a single iterator for all epochs draws the base seed once. A pure function of the epoch. An epoch
// needs all draws before it: ascending epochs are fast. One thread.
[[nodiscard]] loader::EpochOrder torch_epoch_order(const OrderOptions& options);

// That order for a data set; empty for an iterable one. Throws as sample_weights() does.
[[nodiscard]] loader::EpochOrder torch_order(const data::Dataset& dataset,
                                             const loader::LoaderOptions& options);

// Page-locked memory from torch's allocator, for loader.pin_memory.

// torch's caching allocator of page-locked memory, as used by Tensor.pin_memory(): sizes are
// rounded up to powers of two, and a block is reused once the copies from it are done. Initialises
// nothing before the first allocation. `device` must have an index; null if it is not a CUDA
// device.
[[nodiscard]] std::unique_ptr<loader::PinnedMemory> pinned_memory(c10::Device device);

}  // namespace stepbench::transfer
