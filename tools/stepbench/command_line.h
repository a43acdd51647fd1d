// SPDX-License-Identifier: Apache-2.0
// The command line as a whole: every command with its help, --color, and what is answered when
// nothing is to be run.
#pragma once

#include "tools/stepbench/command.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace stepbench::cli {

// `environment` and `exit_code` outlive `app`.
void add_commands(CLI::App& app, const Environment& environment, int& exit_code);

// By --color, wherever on the line it stands; the last one counts.
void choose_colour(const CLI::App& app, Environment& environment);

// Prints help or the version where they were asked for, else what is wrong with the line. Without
// a command: the help, on standard error. Returns the exit status.
[[nodiscard]] int answer_without_running(const CLI::App& app, const CLI::ParseError& error,
                                         const Environment& environment);

}  // namespace stepbench::cli
