// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/nightly.h"
#include "harness/nights/merged_cases.h"
#include "harness/nights/night_store.h"
#include "harness/report/history.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/track_options.h"
#include "tools/stepbench/options.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

struct MergeArguments {
  std::string from = {};
  std::string into = {};
  std::string reason = {};
  bool dry_run = false;
  std::string who = {};
  HistoryFlags history = {};
};

std::vector<nights::MergedCase> wanted_merges(const MergeArguments& arguments,
                                              const nights::History& history) {
  if (arguments.from.empty()) {
    return campaign::split_cases(history, built_in_catalogue(), built_in_rules());
  }
  if (arguments.into.empty()) throw ConfigError("INTO", "missing the case to join it with");
  const nights::TrackedSeries& into = nights::case_meant(history, "INTO", arguments.into);
  return {{.from = nights::case_meant(history, "FROM", arguments.from).case_id,
           .into = into.case_id,
           .options = into.options}};
}

int track_merge(const MergeArguments& arguments, const Environment& environment) {
  nights::TrackStore store = open_history(arguments.history);
  const nights::History history = store.history();
  std::vector<nights::TrackEvent> events;
  for (const nights::MergedCase& merged : wanted_merges(arguments, history)) {
    environment.out << report::merge_text(nights::plan_merge(history, merged), history);
    nights::TrackEvent event = nights::event_of(merged, arguments.reason);
    event.at_utc = now_utc();
    event.who = author(arguments.who, environment);
    events.push_back(std::move(event));
  }
  if (events.empty()) {
    environment.out << "no case of this history has changed its id\n";
    return kExitOk;
  }
  if (arguments.dry_run) {
    environment.out << "nothing changed; without --dry-run they are joined\n";
    return kExitOk;
  }
  store.record(events);
  environment.out << "joined\n";
  return kExitOk;
}

}  // namespace

void add_track_merge(Command& command) {
  MergeArguments& arguments = command.calls(track_merge);
  const char* const doc = "The first digits of a case's id, or of one of its series";
  command.argument("FROM", arguments.from, doc, "FROM");
  command.argument("INTO", arguments.into, doc, "INTO");
  command.flag(kOptions, "--dry-run", arguments.dry_run, "Only print what would be joined");
  command.option(kOptions, "--reason TEXT", arguments.reason, "Reason, kept with your name");
  add_author_flag(command, arguments.who);
  add_history(command, arguments.history);
}

}  // namespace stepbench::cli
