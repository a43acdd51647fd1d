// SPDX-License-Identifier: Apache-2.0
// Declare one command each: options, examples, callback and subcommands. Table of commands:
// command_line.cpp.
#pragma once

#include "tools/stepbench/command.h"

namespace stepbench::cli {

void add_ab(Command& command);
void add_analyze(Command& command);
void add_bisect(Command& command);
void add_tune(Command& command);
void add_compare(Command& command);
void add_completion(Command& command);
void add_data(Command& command);
void add_doctor(Command& command);
void add_export(Command& command);
void add_list(Command& command);
void add_nightly(Command& command);
void add_plan(Command& command);
void add_report(Command& command);
void add_run(Command& command);
void add_runs(Command& command);
void add_schema(Command& command);
void add_show(Command& command);
void add_track(Command& command);

}  // namespace stepbench::cli
