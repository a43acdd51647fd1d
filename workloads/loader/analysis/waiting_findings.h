// SPDX-License-Identifier: Apache-2.0
// Findings about why the step waits for data.
#pragma once

#include <optional>
#include <string>

#include "harness/findings/finding.h"
#include "workloads/loader/analysis/loader_analysis.h"

namespace stepbench::loader {

// Returns only the first cause that fits, without its consequences; nullopt if none does.
[[nodiscard]] std::optional<Finding> cause_of_waiting(const LoaderFacts& facts,
                                                      const LoaderAnalysis& analysis);

// Batches wait for Python's GIL, but the step does not wait for them.
[[nodiscard]] std::optional<Finding> gil_costs_nothing(const LoaderFacts& facts,
                                                       const LoaderAnalysis& analysis);

// Returns causes other than transport, as the end of a sentence; empty: none.
[[nodiscard]] std::string late_for(const LoaderFacts& facts, const LoaderAnalysis& r);

}  // namespace stepbench::loader
