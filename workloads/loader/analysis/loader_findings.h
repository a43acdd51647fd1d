// SPDX-License-Identifier: Apache-2.0
// Findings about what limits a loader.
#pragma once

#include <vector>

#include "harness/findings/finding.h"
#include "workloads/loader/analysis/loader_facts.h"

namespace stepbench::loader {

// Returns what limits the loader or is wasted on it, in plain words; empty if nothing. `share` is
// the gain by the steady-state model: a step lasts max(s, c / workers), or s + c without workers,
// where s is the consumer's own time per step and c a worker's time per batch. Pure.
[[nodiscard]] std::vector<Finding> loader_findings(const LoaderFacts& facts);

}  // namespace stepbench::loader
