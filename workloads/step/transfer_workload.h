// SPDX-License-Identifier: Apache-2.0
// `workload: transfer`.
#pragma once

#include <memory>

#include "harness/workload.h"

namespace stepbench::step {

// Copies of one size from host memory to the device, placed as in a training step, compared with a
// bare loop of the driver's own copy. Phase: h2d.
[[nodiscard]] std::unique_ptr<Workload> make_transfer_workload(const ResolvedCase& resolved,
                                                               WorkerContext& context);

}  // namespace stepbench::step
