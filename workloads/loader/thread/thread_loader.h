// SPDX-License-Identifier: Apache-2.0
// Engine thread: worker threads.
#pragma once

#include <memory>

#include "workloads/loader/engine.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// Worker threads with the dispatch rules of Python's DataLoader. `dataset` and `clock` must outlive
// the loader.
[[nodiscard]] std::unique_ptr<Loader> make_thread_loader(const data::Dataset& dataset,
                                                         const LoaderOptions& options,
                                                         EpochOrder order, const Clock& clock);

// The row of loader.engine.
[[nodiscard]] Engine thread_engine();

}  // namespace stepbench::loader
