// SPDX-License-Identifier: Apache-2.0
// The commands below `stepbench runs`, a file each.
#pragma once

#include "tools/stepbench/command.h"

namespace stepbench::cli {

void add_runs_prune(Command runs);
void add_runs_compress(Command runs);
void add_runs_redact(Command runs);

}  // namespace stepbench::cli
