// SPDX-License-Identifier: Apache-2.0
// What a user reads when a command goes wrong.
#pragma once

#include <iosfwd>
#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace stepbench::cli {

// "stepbench: error: ..." for each line of `message`; the label is red when `colour`.
void print_error(std::ostream& err, const std::string& message, bool colour);

// The command that was read last, down to the last level; `app` itself before any.
[[nodiscard]] const CLI::App& active_command(const CLI::App& app);

// A level of commands was reached and none of them named.
[[nodiscard]] bool lacks_command(const CLI::App& command);

// "unknown command 'rnu' (did you mean 'run'?)" and those that there are.
[[nodiscard]] std::string unknown_command_text(const CLI::App& command, const std::string& name);

// "too many arguments, the first is 'y'" and what was expected.
[[nodiscard]] std::string too_many_text(const CLI::App& command, const std::string& first);

// What is wrong with a command line, with the nearest command or option and where to read on.
[[nodiscard]] std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

}  // namespace stepbench::cli
