// SPDX-License-Identifier: Apache-2.0
// Plans, registers and measures the benchmarks of stepbench-gbench.
#pragma once

#include "tools/gbench/arguments.h"
#include "tools/stepbench/command.h"

namespace stepbench::gbench {

// Returns the exit status. Throws Error for problems that the user can fix. Main thread only.
[[nodiscard]] int run_benchmarks(const Arguments& arguments, const cli::Environment& environment);

}  // namespace stepbench::gbench
