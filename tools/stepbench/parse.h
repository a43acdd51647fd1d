// SPDX-License-Identifier: Apache-2.0
// Parses the arguments of a command line by the declarations of commands, and reports errors in
// them. One thread.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "tools/stepbench/command.h"

namespace stepbench::cli {

enum class Asked { kCall, kHelp, kHelpAll, kVersion };

// Parses words[1...] into the options of `program` and of the named subcommands, then calls their
// on_parsed(), innermost first. Help takes precedence over all errors except an unknown command.
// Throws UsageError.
[[nodiscard]] Asked parse_words(Command& program, const std::vector<std::string>& words);

// Reads words without the program's name into the options, and checks nothing: for a line that is
// still being typed. Returns the option whose value comes next; null if none does. Throws
// UsageError for the value of an option that takes none.
[[nodiscard]] const CommandOption* read_words(Command& program, std::span<const std::string> words);

// "FILE is missing: the experiment, a YAML file"
[[nodiscard]] std::string missing_text(const CommandOption& option);

// Error messages.

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
