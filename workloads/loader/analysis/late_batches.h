// SPDX-License-Identifier: Apache-2.0
// Why a finished batch is not there yet. Pure; any thread.
#pragma once

#include <string>

#include "workloads/loader/analysis/loader_analysis.h"

namespace stepbench::loader {

// What else than its transport it may wait for, as the end of a sentence; empty: nothing.
[[nodiscard]] std::string late_for(const LoaderFacts& facts, const LoaderAnalysis& r);

}  // namespace stepbench::loader
