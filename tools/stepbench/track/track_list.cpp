// SPDX-License-Identifier: Apache-2.0
#include <ostream>
#include <string>
#include <vector>

#include "harness/base/exit_status.h"
#include "harness/document/render.h"
#include "harness/report/history_document.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/track/track_command.h"
#include "tools/stepbench/track/track_options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kTrackListExamples = R"(Examples:
  stepbench track list
  stepbench track list --all                   also the phases, which explain a step
  stepbench track list --db sqlite:other.db

A series is one metric of one case on one kind of machine. Its id's first digits name it in other
commands.

Exit status: 0, 2 wrong usage, or there is no history, 4 the history is empty.)";

struct ListArguments {
  bool whole = false;
  HistoryFlags history = {};
};

int track_list(const ListArguments& arguments, const Environment& environment) {
  track::TrackStore store = open_history(arguments.history);
  const track::History newest = store.history({.last = 1});
  const document::Document document =
      report::series_list_document(newest, store.extents(), arguments.whole);
  if (document.chapters.empty()) {
    environment.out << "the history is empty: `stepbench track add RUN` adds a night\n";
    return kExitNothingMeasured;
  }
  environment.out << document::render(
      document, {.colour = environment.colour, .columns = environment.terminal_columns});
  return kExitOk;
}

}  // namespace

void add_track_list(Command& track) {
  Command& command = track.add("list", "The series of the history", kTrackListExamples);
  ListArguments& arguments = command.calls(track_list);
  command.flag(kOutputOptions, "--all", arguments.whole, "Also series of phases");
  add_history(command, arguments.history);
}

}  // namespace stepbench::cli
