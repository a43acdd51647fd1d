// SPDX-License-Identifier: Apache-2.0
// `WORKER check`: which of these cases can this worker measure?
#pragma once

#include <iosfwd>
#include <span>

#include "harness/rule.h"
#include "harness/worker/worker_main.h"

namespace stepbench::worker {

// Reads a line of facts and one line per case; writes one line per case, in order:
// {"answer":"ok"} | {"answer":"skip","reason":...} | {"answer":"error","option":...,"reason":...},
// each with "notes":[...] when a rule has something to say, and with the options that the rules
// changed ("schedule":{...} of numbers of steps, "options":{...} of all others). Throws ConfigError
// naming the line that cannot be read.
void check_cases(std::istream& in, std::ostream& out, const Catalogue& catalogue,
                 std::span<const WorkloadType> workloads, std::span<const WorkloadRule> rules);

}  // namespace stepbench::worker
