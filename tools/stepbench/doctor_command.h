// SPDX-License-Identifier: Apache-2.0
// `stepbench doctor --ranks`: what a launcher provides to each rank, and whether ranks reach each
// other. The command itself is in the .cpp only.
#pragma once

#include <string>

#include "harness/campaign/examine_ranks.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// Returns the exit status: 0, or kExitNothingMeasured if the process group cannot be formed.
[[nodiscard]] int examine_ranks_and_report(const campaign::RanksRequest& request,
                                           const std::string& format,
                                           const Environment& environment);

}  // namespace stepbench::cli
