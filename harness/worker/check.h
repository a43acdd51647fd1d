// SPDX-License-Identifier: Apache-2.0
// `WORKER check`: tests which cases this worker can measure.
#pragma once

#include <iosfwd>
#include <span>

#include "harness/rule.h"
#include "harness/worker/worker_main.h"

namespace stepbench::worker {

// Reads a line of facts and one line per case; writes one line per case, in order: {"answer":"ok"}
// | {"answer":"skip","reason":...} | {"answer":"error","option":...,"reason":...}, each with
// "notes":[...] of the rules, and with the options that the rules changed ("schedule":{...} for
// step counts, "options":{...} for all others). Throws ConfigError with the number of an unreadable
// line.
void check_cases(std::istream& in, std::ostream& out, const Catalogue& catalogue,
                 std::span<const WorkloadType> workloads, std::span<const WorkloadRule> rules);

}  // namespace stepbench::worker
