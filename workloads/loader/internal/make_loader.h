// SPDX-License-Identifier: Apache-2.0
// Makes a loader from the section `loader` of a case.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/workload.h"
#include "workloads/data/dataset.h"
#include "workloads/loader/engines.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// Sequential, or stepbench's own shuffle with the options' seed: an order for programs without
// torch. Empty for an iterable data set, which has its own order.
[[nodiscard]] EpochOrder make_order(const data::Dataset& dataset, const LoaderOptions& options);
using OrderMaker = std::function<EpochOrder(const data::Dataset&, const LoaderOptions&)>;

// Makes the engine of `table` that the section `loader` names. `dataset` and `context` must outlive
// it; context.life_cycle gets the time of construction. Throws ConfigError naming the option that
// cannot be honoured. `pinned` is for loader.pin_memory, `upload` for the pin thread.
[[nodiscard]] std::unique_ptr<Loader> make_loader(const data::Dataset& dataset,
                                                  const ResolvedCase& resolved, EpochOrder order,
                                                  WorkerContext& context,
                                                  const std::vector<Engine>& table = engines(),
                                                  PinnedMemory* pinned = nullptr,
                                                  BatchUpload* upload = nullptr);

// Destroys the loader and records the time in context.life_cycle. Does nothing the second time.
void tear_down(std::unique_ptr<Loader>& loader, WorkerContext& context);

}  // namespace stepbench::loader
