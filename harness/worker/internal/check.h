// SPDX-License-Identifier: Apache-2.0
// `WORKER check`: which cases this worker can measure. And the defaults of options that a case
// omits.
#pragma once

#include <iosfwd>
#include <span>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
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

// Defaults for a handwritten case. Pure; any thread.

// Sets missing options to the catalogue's defaults, so that a handwritten case only needs the
// others. Cases from stepbench are complete.
void fill_defaults(ResolvedCase& resolved, const Catalogue& catalogue);

}  // namespace stepbench::worker
