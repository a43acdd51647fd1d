// SPDX-License-Identifier: Apache-2.0
// Plans, registers and measures: what stepbench-gbench does.
#pragma once

#include "tools/gbench/arguments.h"
#include "tools/stepbench/command.h"

namespace stepbench::gbench {

// Returns the exit status. Throws Error for what the user can mend. Main thread only.
[[nodiscard]] int run_benchmarks(const Arguments& arguments, const cli::Environment& environment);

}  // namespace stepbench::gbench
