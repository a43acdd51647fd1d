// SPDX-License-Identifier: Apache-2.0
// The command line as a whole: every command with its help, --color, and what is answered when
// nothing is to be run.
#pragma once

#include "tools/stepbench/command.h"

namespace stepbench::cli {

// Runs the command that environment.argv names and returns the exit status. Errors are thrown,
// those in the command line are answered. Only the command that the line begins with is declared,
// unless `all_commands`: what cannot be read is read again with all, since the answer may name
// them.
[[nodiscard]] int run_command_line(Environment& environment, bool all_commands = false);

}  // namespace stepbench::cli
