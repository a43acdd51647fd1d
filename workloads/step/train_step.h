// SPDX-License-Identifier: Apache-2.0
// `workload: train_step`.
#pragma once

#include <memory>

#include "harness/workload.h"

namespace stepbench::step {

// One optimizer step on batches of a DataLoader. Phases: data_wait, h2d (not on the CPU),
// zero_grad, forward, loss, backward, optimizer, checkpoint; with model.accumulate the first ones
// repeat.
[[nodiscard]] std::unique_ptr<Workload> make_train_step(const ResolvedCase& resolved,
                                                        WorkerContext& context);

}  // namespace stepbench::step
