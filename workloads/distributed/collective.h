// SPDX-License-Identifier: Apache-2.0
// `workload: collective`.
#pragma once

#include <memory>

#include "harness/workload.h"

namespace stepbench::distributed {

// One c10d collective per step and nothing else, on persistent buffers; its result is checked
// before the first and after the last window. Phase: collective.
[[nodiscard]] std::unique_ptr<Workload> make_collective(const ResolvedCase& resolved,
                                                        WorkerContext& context);

}  // namespace stepbench::distributed
