// SPDX-License-Identifier: Apache-2.0
// What a command line reads and writes, from the options that were declared: an output is an option
// of the group Output with a FILE or a DIR; whatever else names a file is read.
#pragma once

#include "tools/stepbench/command.h"

namespace stepbench::cli {

// Before the command runs. Throws ConfigError as os::check_files() does; fills in
// environment.outputs, for what is found out to be read later, as the programs of a plan.
void check_command_files(const Command& program, Environment& environment);

}  // namespace stepbench::cli
