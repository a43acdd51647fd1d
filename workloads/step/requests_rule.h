// SPDX-License-Identifier: Apache-2.0
// What schedule.arrivals means for a workload. Torch-free.
#pragma once

#include "harness/rule.h"

namespace stepbench::step {

// For a workload whose step answers a request: such a step is a latency, and the arrivals must fit
// into the launch.
void check_requests(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

// For one whose step nobody asks for.
void refuse_requests(const ResolvedCase& resolved, RuleSink& sink);

}  // namespace stepbench::step
