// SPDX-License-Identifier: Apache-2.0
// `workload: train_step`, by one process or by the ranks of a group.
#pragma once

#include <memory>

#include "harness/workload.h"

namespace stepbench::distributed {

// With several ranks, each has its share of the samples, and gradients are averaged as
// `distributed.sync` says. With one rank it is step::make_train_step().
[[nodiscard]] std::unique_ptr<Workload> make_train_step(const ResolvedCase& resolved,
                                                        WorkerContext& context);

}  // namespace stepbench::distributed
