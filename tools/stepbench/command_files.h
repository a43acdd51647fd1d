// SPDX-License-Identifier: Apache-2.0
// Determines the input and output files of a command line from its declared options: outputs are
// options of the group Output with a FILE or a DIR; everything else that names a file is an input.
#pragma once

#include "tools/stepbench/command.h"

namespace stepbench::cli {

// Call before the command runs. Throws ConfigError as os::check_files() does. Fills in
// environment.outputs, to be checked against inputs that become known later, such as the programs
// of a plan.
void check_command_files(const Command& program, Environment& environment);

}  // namespace stepbench::cli
