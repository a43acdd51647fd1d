// SPDX-License-Identifier: Apache-2.0
// Why the step waits for its data.
#pragma once

#include <optional>

#include "harness/findings/finding.h"
#include "workloads/loader/analysis/loader_analysis.h"

namespace stepbench::loader {

// The first cause that fits: what follows from it is not said as well. nullopt if none does.
[[nodiscard]] std::optional<Finding> cause_of_waiting(const LoaderFacts& facts,
                                                      const LoaderAnalysis& analysis);

// Batches wait for Python's lock, and the step does not wait for them.
[[nodiscard]] std::optional<Finding> gil_costs_nothing(const LoaderFacts& facts,
                                                       const LoaderAnalysis& analysis);

}  // namespace stepbench::loader
