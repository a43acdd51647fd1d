// SPDX-License-Identifier: Apache-2.0
// Finished batches that take long to reach the training thread. Pure; any thread.
#pragma once

#include <optional>

#include "harness/findings/finding.h"
#include "workloads/loader/analysis/loader_analysis.h"

namespace stepbench::loader {

// Nothing where the wait is for batches that are not there, or for workers that are busy.
[[nodiscard]] std::optional<Finding> handing_over(const LoaderFacts& facts,
                                                  const LoaderAnalysis& r);

}  // namespace stepbench::loader
