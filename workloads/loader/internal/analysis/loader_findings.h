// SPDX-License-Identifier: Apache-2.0
// Findings about what limits a loader.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/findings/finding.h"
#include "workloads/loader/internal/analysis/loader_analysis.h"
#include "workloads/loader/internal/analysis/loader_facts.h"

namespace stepbench::loader {

// Returns what limits the loader or is wasted on it, in plain words; empty if nothing. `share` is
// the gain by the steady-state model: a step lasts max(s, c / workers), or s + c without workers,
// where s is the consumer's own time per step and c a worker's time per batch. Pure.
[[nodiscard]] std::vector<Finding> loader_findings(const LoaderFacts& facts);

// Findings about why the step waits for data.

// Returns only the first cause that fits, without its consequences; nullopt if none does.
[[nodiscard]] std::optional<Finding> cause_of_waiting(const LoaderFacts& facts,
                                                      const LoaderAnalysis& analysis);

// Batches wait for Python's GIL, but the step does not wait for them.
[[nodiscard]] std::optional<Finding> gil_costs_nothing(const LoaderFacts& facts,
                                                       const LoaderAnalysis& analysis);

// Returns causes other than transport, as the end of a sentence; empty: none.
[[nodiscard]] std::string late_for(const LoaderFacts& facts, const LoaderAnalysis& r);

}  // namespace stepbench::loader
