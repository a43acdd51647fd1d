// SPDX-License-Identifier: Apache-2.0
// Which device is a rank's. Main thread.
#pragma once

#include "harness/workload.h"

namespace stepbench::distributed {

// Ranks of a machine take one CUDA device each, in the order of their numbers on it. A launcher may
// show each rank its own device alone; where several ranks then mean the same one, NCCL says so.
// Throws Error where there are more ranks than several devices.
[[nodiscard]] int device_of_rank(int local_rank, int devices);

// `device: cuda` becomes that of the rank. May initialise CUDA.
void place_rank(ResolvedCase& resolved, const WorkerContext& context);

}  // namespace stepbench::distributed
