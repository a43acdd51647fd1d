// SPDX-License-Identifier: Apache-2.0
// Messages for errors in a command line.
#pragma once

#include <iosfwd>
#include <string>

#include "tools/stepbench/command.h"

namespace stepbench::cli {

// Prints "stepbench: error: ..." for each line of `message`, without passwords in URLs; the label
// is red if `colour`.
void print_error(std::ostream& err, const std::string& message, bool colour);

// The innermost command that was parsed; `program` itself if there is none.
[[nodiscard]] const Command& active_command(const Command& program);

// True if a subcommand is required and none was given.
[[nodiscard]] bool lacks_command(const Command& command);

// "unknown command 'rnu' (did you mean 'run'?)" and the list of commands.
[[nodiscard]] std::string unknown_command_text(const Command& command, const std::string& name);

// "too many arguments, the first is 'y'" and the expected ones.
[[nodiscard]] std::string too_many_text(const Command& command, const std::string& first);

// Describes the error, suggests the nearest command or option, and says where to read on.
[[nodiscard]] std::string usage_message(const Command& program, const UsageError& error);

}  // namespace stepbench::cli
