// SPDX-License-Identifier: Apache-2.0
// Operators by shape and collectives as costs of steps, so that two traces can be compared by them.
// Pure; any thread.
#pragma once

#include <vector>

#include "harness/analyze/analysis.h"
#include "harness/analyze/step_costs.h"

namespace stepbench::analyze {

// Of kinds kShape and kCollective, by kind, name and phase. Rows of one name are put together:
// convolutions of one shape whose strides differ.
[[nodiscard]] std::vector<NamedCost> work_costs(const trace::Trace& trace,
                                                const Analysis& analysis);

}  // namespace stepbench::analyze
