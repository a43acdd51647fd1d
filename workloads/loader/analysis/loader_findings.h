// SPDX-License-Identifier: Apache-2.0
// What limits a loader, as findings.
#pragma once

#include <vector>

#include "harness/findings/finding.h"
#include "workloads/loader/analysis/loader_facts.h"

namespace stepbench::loader {

// What limits the loader, or is spent on it for nothing, in plain words; empty when nothing is.
// `share` is what the steady-state model promises: a step lasts max(s, c / workers), without
// workers s + c, where s is the consumer's own time for a step and c a worker's time for a batch.
// A pure function.
[[nodiscard]] std::vector<Finding> loader_findings(const LoaderFacts& facts);

}  // namespace stepbench::loader
