// SPDX-License-Identifier: Apache-2.0
// `stepbench track`: one file per subcommand.
#pragma once

#include "tools/stepbench/command.h"

namespace stepbench::cli {

void add_track_add(Command& track);
void add_track_check(Command& track);
void add_track_bisect(Command& track);
void add_track_list(Command& track);
void add_track_merge(Command& track);
void add_track_note(Command& track);
void add_track_prune(Command& track);
void add_track_report(Command& track);
void add_track_show(Command& track);

}  // namespace stepbench::cli
