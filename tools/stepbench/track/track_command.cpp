// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/track/track_command.h"

#include "tools/stepbench/command_line.h"

namespace stepbench::cli {

void add_track(Command& track) {
  track.footer = R"(Example:
  stepbench run configs/quickstart.yaml && stepbench track add results/20260131-020000-quickstart

The history is a file, results/history.db, or a database on a server that many machines share
(--db postgresql://...). It is built from result files and can be rebuilt from them; people's
notes on alerts are in FILE.events.jsonl next to it. `stepbench track COMMAND --help` says more.)";
  track.needs_command = true;
  add_track_add(track);
  add_track_check(track);
  add_track_show(track);
  add_track_report(track);
  add_track_note(track);
  add_track_bisect(track);
  add_track_list(track);
  add_track_merge(track);
  add_track_prune(track);
}

}  // namespace stepbench::cli
