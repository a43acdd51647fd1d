// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "harness/workload.h"

namespace stepbench {

// The context's clock must be a StubClock.
[[nodiscard]] std::unique_ptr<Workload> make_stub(const ResolvedCase& resolved,
                                                  WorkerContext& context);

}  // namespace stepbench
