// SPDX-License-Identifier: Apache-2.0
// Engine torch_cpp: libtorch's own DataLoader behind the interface of loader.h.
#pragma once

#include <memory>
#include <vector>

#include "workloads/loader/engines.h"

namespace stepbench::torch_loader {

// Engine `torch_cpp`: torch::data::DataLoader as it is, with max_jobs = prefetch_factor * workers.
// Its threads share one queue of jobs and live as long as the loader. What it does not tell is not
// reported: how long a worker waited to hand a batch over, which is part of its idle time. After an
// error it reads one batch less ahead, and after as many errors as max_jobs it ends the epoch
// early; the samples that never came are counted as lost. `dataset` and `clock` must outlive it;
// the data set must be map-style.
[[nodiscard]] std::unique_ptr<loader::Loader> make_torch_cpp_loader(
    const data::Dataset& dataset, const loader::LoaderOptions& options, loader::EpochOrder order,
    const Clock& clock);

// The table of engines() with this one's maker.
[[nodiscard]] const std::vector<loader::Engine>& torch_engines();

}  // namespace stepbench::torch_loader
