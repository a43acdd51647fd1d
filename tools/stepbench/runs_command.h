// SPDX-License-Identifier: Apache-2.0
// The commands below `stepbench runs`, a file each.
#pragma once

#include "tools/stepbench/command.h"

namespace stepbench::cli {

void add_runs_prune(CLI::App& runs, const Environment& environment, int& exit_code);
void add_runs_compress(CLI::App& runs, const Environment& environment, int& exit_code);
void add_runs_redact(CLI::App& runs, const Environment& environment, int& exit_code);

}  // namespace stepbench::cli
