// SPDX-License-Identifier: Apache-2.0
// The commands of the program. Each function adds one, with those below it.
#pragma once

#include "tools/stepbench/command.h"

namespace stepbench::cli {

void add_ab(Command program);
void add_analyze(Command program);
void add_bisect(Command program);
void add_tune(Command program);
void add_compare(Command program);
void add_completion(Command program);
void add_data(Command program);
void add_doctor(Command program);
void add_export(Command program);
void add_list(Command program);
void add_nightly(Command program);
void add_plan(Command program);
void add_report(Command program);
void add_run(Command program);
void add_runs(Command program);
void add_schema(Command program);
void add_show(Command program);
void add_track(Command program);

// Below `data` and `runs`.
void add_data_show(Command data);
void add_runs_prune(Command runs);

}  // namespace stepbench::cli
