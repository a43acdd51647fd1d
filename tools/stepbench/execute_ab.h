// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/stepbench/ab_arms.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// Plans both arms, locks, runs the campaign, prints and keeps the verdict. Returns the exit code;
// throws Error for what the user can mend.
[[nodiscard]] int execute_ab(const AbOptions& options, const Environment& environment);

}  // namespace stepbench::cli
