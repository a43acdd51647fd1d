// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "harness/resolved_case.h"
#include "harness/workload.h"
#include "workloads/data/dataset.h"
#include "workloads/loader/loader.h"

namespace stepbench {

[[nodiscard]] LoaderOptions loader_options(const ResolvedCase& resolved);

// The engine that the section `loader` names, over `dataset`. `dataset` must outlive it; so must `context`.
[[nodiscard]] std::unique_ptr<Loader> make_loader(const Dataset& dataset, const ResolvedCase& resolved,
                                                  EpochOrder order, WorkerContext& context);

}  // namespace stepbench
