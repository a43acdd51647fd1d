// SPDX-License-Identifier: Apache-2.0
// Which device is a rank's. Main thread.
#pragma once

#include <c10/core/Device.h>

#include "harness/workload.h"

namespace stepbench::distributed {

// Ranks of a machine take one CUDA device each, in the order of their local numbers, or the only
// one that they see; of one rank alone, and on the CPU, it is `device` itself. Throws Error where
// there are more ranks than several devices. May initialise CUDA.
[[nodiscard]] c10::Device device_of_rank(c10::Device device, const WorkerContext& context);

}  // namespace stepbench::distributed
