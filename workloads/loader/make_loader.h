// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "harness/base/resolved_case.h"
#include "harness/workload.h"
#include "workloads/data/dataset.h"
#include "workloads/loader/loader.h"

namespace stepbench {

[[nodiscard]] LoaderOptions loader_options(const ResolvedCase& resolved);

// Sequential, or this project's own shuffle with the options' seed: an order for programs without
// torch. Empty for an iterable data set, which has an order of its own.
[[nodiscard]] EpochOrder make_order(const Dataset& dataset, const LoaderOptions& options);
using OrderMaker = std::function<EpochOrder(const Dataset&, const LoaderOptions&)>;

// Engines that live outside this folder, by name: they need libraries that loading does not.
using EngineMaker = std::function<std::unique_ptr<Loader>(
    const Dataset& dataset, const LoaderOptions& options, EpochOrder order, const Clock& clock)>;
using OtherEngines = std::map<std::string, EngineMaker, std::less<>>;

// The engine that the section `loader` names, over `dataset`. `dataset` must outlive it; so must
// `context`, whose life_cycle gets the time of construction. Throws ConfigError naming the option
// that cannot be honoured. `pinned` is for loader.pin_memory, `upload` for the pin thread.
[[nodiscard]] std::unique_ptr<Loader> make_loader(
    const Dataset& dataset, const ResolvedCase& resolved, EpochOrder order, WorkerContext& context,
    const OtherEngines& others = {}, PinnedMemory* pinned = nullptr, BatchUpload* upload = nullptr);

// Destroys the loader and notes how long that took in context.life_cycle. Does nothing the second
// time.
void tear_down(std::unique_ptr<Loader>& loader, WorkerContext& context);

}  // namespace stepbench
