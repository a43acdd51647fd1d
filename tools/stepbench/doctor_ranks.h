// SPDX-License-Identifier: Apache-2.0
// `stepbench doctor --ranks`: what a launcher gives each rank, and whether ranks reach each other.
#pragma once

#include <string>

#include "harness/campaign/examine_ranks.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// The exit status: 0, or kExitNothingMeasured where no such group comes about.
[[nodiscard]] int examine_ranks_and_tell(const campaign::RanksRequest& request,
                                         const std::string& format, const Environment& environment);

}  // namespace stepbench::cli
