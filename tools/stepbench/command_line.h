// SPDX-License-Identifier: Apache-2.0
// Parses and executes a whole command line: all commands with their help, --color, and usage
// errors.
#pragma once

#include "tools/stepbench/command.h"

namespace stepbench::cli {

// Runs the command named in environment.argv and returns the exit status. Prints errors in the
// command line; throws all others. Declares only the command that the line begins with unless
// `all_commands`: a line that cannot be parsed is parsed again with all of them, since the error
// message may refer to them.
[[nodiscard]] int run_command_line(Environment& environment, bool all_commands = false);

}  // namespace stepbench::cli
