// SPDX-License-Identifier: Apache-2.0
// The command line as a whole: every command with its help, --color, and what is answered when
// nothing is to be run.
#pragma once

#include "tools/stepbench/command.h"

namespace stepbench::cli {

// Runs the command that environment.argv names and returns the exit status. Errors are thrown,
// those in the command line are answered.
[[nodiscard]] int run_command_line(Environment& environment);

}  // namespace stepbench::cli
