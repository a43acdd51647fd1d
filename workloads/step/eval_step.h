// SPDX-License-Identifier: Apache-2.0
// `workload: eval_step`.
#pragma once

#include <memory>

#include "harness/workload.h"

namespace stepbench::step {

// Only the forward pass, in evaluation mode and without gradients. Phases: data_wait, h2d (not on
// the CPU), forward.
[[nodiscard]] std::unique_ptr<Workload> make_eval_step(const ResolvedCase& resolved,
                                                       WorkerContext& context);

}  // namespace stepbench::step
