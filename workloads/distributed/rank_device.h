// SPDX-License-Identifier: Apache-2.0
// Selects the device of a rank. Main thread.
#pragma once

#include "harness/workload.h"

namespace stepbench::distributed {

// Ranks of a machine take one CUDA device each, in order of local rank. A launcher may show each
// rank only its own device; if several ranks then use the same one, NCCL reports it. Throws Error
// for more ranks than devices, if there are several devices.
[[nodiscard]] int device_of_rank(int local_rank, int devices);

// Replaces `device: cuda` by the rank's device. May initialise CUDA.
void place_rank(ResolvedCase& resolved, const WorkerContext& context);

}  // namespace stepbench::distributed
