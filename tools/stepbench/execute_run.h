// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/stepbench/command.h"
#include "tools/stepbench/run_options.h"

namespace stepbench::cli {

// Plans, locks, runs, prints. Returns the exit code; throws Error for what the user can mend.
[[nodiscard]] int execute_run(const RunOptions& options, const Environment& environment);

}  // namespace stepbench::cli
