// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/campaign/nightly.h"
#include "harness/machine/environment.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/track_options.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {
namespace {

struct TrackPruneArguments {
  bool dry_run = false;
  HistoryFlags history = {};
};

int track_prune(const TrackPruneArguments& arguments, const Environment& environment) {
  nights::TrackStore store = open_history(arguments.history);
  const campaign::PrunedPrograms pruned =
      campaign::prune_programs(store, machine::host_name("/"), {}, now_utc(), arguments.dry_run);
  std::ostream& out = environment.out;
  for (const campaign::StoredProgram& each : pruned.programs) {
    const std::string why = each.needed ? "reference" : "not needed";
    const std::string done =
        each.removed ? (arguments.dry_run ? ", would be removed" : ", removed") : "";
    out << text::printable(formatted("{}  {}  {}  {}{}", each.build.stored_utc.substr(0, 10),
                                     each.build.build_id.substr(0, 12),
                                     text::byte_text(static_cast<double>(each.bytes)), why, done))
        << '\n';
  }
  out << text::counted(static_cast<std::int64_t>(pruned.programs.size()), "program") << ", "
      << text::byte_text(static_cast<double>(pruned.bytes_before)) << "; "
      << (arguments.dry_run ? "would leave " : "left ")
      << text::byte_text(static_cast<double>(pruned.bytes_after)) << '\n'
      << std::flush;
  warn(environment, pruned.notes);
  return pruned.notes.empty() ? kExitOk : kExitUsage;
}

}  // namespace

void add_track_prune(Command& command) {
  TrackPruneArguments& arguments = command.calls(track_prune);
  command.flag(kOptions, "--dry-run", arguments.dry_run, "Only say what would be removed");
  add_history(command, arguments.history);
}

}  // namespace stepbench::cli
