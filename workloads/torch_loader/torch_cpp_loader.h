// SPDX-License-Identifier: Apache-2.0
// Engine torch_cpp: libtorch's own DataLoader behind the interface of loader.h.
#pragma once

#include <memory>
#include <vector>

#include "workloads/loader/engines.h"

namespace stepbench::torch_loader {

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

}  // namespace stepbench::torch_loader
