// SPDX-License-Identifier: Apache-2.0

#include "harness/base/exit_status.h"
#include "harness/report/history.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/internal/track_options.h"

namespace stepbench::cli {
namespace {

struct ListArguments {
  bool whole = false;
  HistoryFlags history = {};
};

int track_list(const ListArguments& arguments, const Environment& environment) {
  nights::TrackStore store = open_history(arguments.history);
  const nights::History newest = store.history({.last = 1});
  const document::Document document =
      report::series_list_document(newest, store.extents(), arguments.whole);
  if (document.chapters.empty()) {
    environment.out << "the history is empty: `stepbench track add RUN` adds a night\n";
    return kExitNothingMeasured;
  }
  environment.out << render(document, environment);
  return kExitOk;
}

}  // namespace

void add_track_list(Command& command) {
  ListArguments& arguments = command.calls(track_list);
  command.flag(kOutputOptions, "--all", arguments.whole, "Also series of phases");
  add_history(command, arguments.history);
}

}  // namespace stepbench::cli
