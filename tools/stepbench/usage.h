// SPDX-License-Identifier: Apache-2.0
// What a user reads when a command goes wrong.
#pragma once

#include <iosfwd>
#include <string>

#include "tools/stepbench/command.h"

namespace stepbench::cli {

// "stepbench: error: ..." for each line of `message`, without passwords of addresses; the label is
// red when `colour`.
void print_error(std::ostream& err, const std::string& message, bool colour);

// The command that was read last, down to the last level; `program` itself before any.
[[nodiscard]] const Command& active_command(const Command& program);

// A level of commands was reached and none of them named.
[[nodiscard]] bool lacks_command(const Command& command);

// "unknown command 'rnu' (did you mean 'run'?)" and those that there are.
[[nodiscard]] std::string unknown_command_text(const Command& command, const std::string& name);

// "too many arguments, the first is 'y'" and what was expected.
[[nodiscard]] std::string too_many_text(const Command& command, const std::string& first);

// What is wrong with a command line, with the nearest command or option and where to read on.
[[nodiscard]] std::string usage_message(const Command& program, const UsageError& error);

}  // namespace stepbench::cli
