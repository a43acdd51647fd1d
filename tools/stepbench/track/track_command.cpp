// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/track/track_command.h"

#include <CLI/CLI.hpp>

#include "tools/stepbench/command.h"

namespace stepbench::cli {

void add_track(CLI::App& app, const Environment& environment, int& exit_code) {
  CLI::App* track =
      app.add_subcommand("track", "Keep a history of nights and see which cases became slower");
  track->require_subcommand(1);
  track->footer(R"(Example:
  stepbench run configs/quickstart.yaml && stepbench track add results/20260131-020000-quickstart

The history is a file, results/history.db, or a database on a server that many machines share
(--db postgresql://...). It is made of result files and can be made anew from them; what people
said of alerts is in FILE.events.jsonl beside it. `stepbench track COMMAND --help` says more.)");
  add_track_add(*track, environment, exit_code);
  add_track_check(*track, environment, exit_code);
  add_track_show(*track, environment, exit_code);
  add_track_acknowledge(*track, environment, exit_code);
  add_track_assign(*track, environment, exit_code);
  add_track_note(*track, environment, exit_code);
  add_track_ignore(*track, environment, exit_code);
  add_track_baseline(*track, environment, exit_code);
  add_track_confirm(*track, environment, exit_code);
  add_track_list(*track, environment, exit_code);
  add_track_why_split(*track, environment, exit_code);
  add_track_prune(*track, environment, exit_code);
  add_track_export(*track, environment, exit_code);
  add_track_screen(*track, environment, exit_code);
}

}  // namespace stepbench::cli
