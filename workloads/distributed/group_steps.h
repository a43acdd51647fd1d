// SPDX-License-Identifier: Apache-2.0
// The steps of the ranks of a group: the workload collective and a training step, each on the
// rank's own device. Main thread.
#pragma once

#include <memory>

#include "harness/workload.h"

namespace stepbench::distributed {

// One c10d collective per step and nothing else, on persistent buffers; its result is checked
// before the first and after the last window. Phase: collective.
[[nodiscard]] std::unique_ptr<Workload> make_collective(const ResolvedCase& resolved,
                                                        WorkerContext& context);

// `workload: train_step`, by one process or by the ranks of a group.

// With several ranks, each has its share of the samples, and gradients are averaged as
// `distributed.sync` says. With one rank it is step::make_train_step().
[[nodiscard]] std::unique_ptr<Workload> make_train_step(const ResolvedCase& resolved,
                                                        WorkerContext& context);

// Selects the device of a rank. Main thread.

// Ranks of a machine take one CUDA device each, in order of local rank. A launcher may show each
// rank only its own device; if several ranks then use the same one, NCCL reports it. Throws Error
// for more ranks than devices, if there are several devices.
[[nodiscard]] int device_of_rank(int local_rank, int devices);

// Replaces `device: cuda` by the rank's device. May initialise CUDA.
void place_rank(ResolvedCase& resolved, const WorkerContext& context);

}  // namespace stepbench::distributed
