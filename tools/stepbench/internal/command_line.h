// SPDX-License-Identifier: Apache-2.0
// The whole command line: the table of all commands, their help, --color, the check of the files
// that a command reads and writes, and the exit status when nothing runs.
#pragma once

#include <string_view>

#include "tools/stepbench/command.h"

namespace stepbench::cli {

// Runs the command named in environment.argv and returns the exit status. Prints errors in the
// command line; throws all others. Declares only the command that the line begins with unless
// `all_commands`: a line that cannot be parsed is parsed again with all of them, since the error
// message may refer to them.
[[nodiscard]] int run_command_line(Environment& environment, bool all_commands = false);

// Input and output files of a command line, from its declared options: outputs are options of the
// group Output with a FILE or a DIR; everything else that names a file is an input.

// Call before the command runs. Throws ConfigError as os::check_files() does. Fills in
// environment.outputs, to be checked against inputs that become known later, such as the programs
// of a plan.
void check_command_files(const Command& program, Environment& environment);

// `stepbench __complete WORDS...`: the words of a command line without the program name; the last,
// possibly empty, is being typed. Handled before the commands and not shown in help.
inline constexpr std::string_view kCompleteCommand = "__complete";
// Prints one line per candidate for it: the word, a tab and its meaning. Prints nothing on errors.
void complete(Command& program);

// The commands. Each function declares the options and the callback of one. The table is in
// command_line.cpp.

void add_ab(Command& command);
void add_analyze(Command& command);
void add_bisect(Command& command);
void add_compare(Command& command);
void add_completion(Command& command);
void add_data_make(Command& command);
void add_data_show(Command& command);
void add_doctor(Command& command);
void add_export(Command& command);
void add_list(Command& command);
void add_nightly(Command& command);
void add_plan(Command& command);
void add_report(Command& command);
void add_run(Command& command);
void add_runs(Command& command);
void add_runs_prune(Command& command);
void add_schema(Command& command);
void add_show(Command& command);
void add_track_add(Command& command);
void add_track_bisect(Command& command);
void add_track_check(Command& command);
void add_track_list(Command& command);
void add_track_merge(Command& command);
void add_track_note(Command& command);
void add_track_prune(Command& command);
void add_track_report(Command& command);
void add_track_show(Command& command);
void add_tune(Command& command);

}  // namespace stepbench::cli
