// SPDX-License-Identifier: Apache-2.0
// The makers of the workloads train_step, eval_step, generate and transfer. Main thread; the
// context must outlive the workload.
#pragma once

#include <memory>

#include "harness/workload.h"

namespace stepbench::step {

// One optimizer step on batches of a DataLoader. Phases: data_wait, h2d (not on the CPU),
// zero_grad, forward, loss, backward, optimizer, checkpoint; with model.accumulate the first ones
// repeat.
[[nodiscard]] std::unique_ptr<Workload> make_train_step(const ResolvedCase& resolved,
                                                        WorkerContext& context);

// `workload: eval_step`.

// Only the forward pass, in evaluation mode and without gradients. Phases: data_wait, h2d (not on
// the CPU), forward.
[[nodiscard]] std::unique_ptr<Workload> make_eval_step(const ResolvedCase& resolved,
                                                       WorkerContext& context);

// `workload: generate`.

// Greedy text generation for a batch of prompts, with a key-value cache. Each token reaches the
// host before the next is computed. Phases: data_wait, h2d (not on the CPU), prefill, decode.
[[nodiscard]] std::unique_ptr<Workload> make_generate_step(const ResolvedCase& resolved,
                                                           WorkerContext& context);

// `workload: transfer`.

// Copies of one size from host memory to the device, placed as in a training step, compared with a
// bare loop of the driver's own copy. Phase: h2d.
[[nodiscard]] std::unique_ptr<Workload> make_transfer_workload(const ResolvedCase& resolved,
                                                               WorkerContext& context);

}  // namespace stepbench::step
