// SPDX-License-Identifier: Apache-2.0
// Explains why a finished batch arrives late. Pure; any thread.
#pragma once

#include <string>

#include "workloads/loader/analysis/loader_analysis.h"

namespace stepbench::loader {

// Returns causes other than transport, as the end of a sentence; empty: none.
[[nodiscard]] std::string late_for(const LoaderFacts& facts, const LoaderAnalysis& r);

}  // namespace stepbench::loader
