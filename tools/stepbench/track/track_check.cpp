// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/machine/environment.h"
#include "harness/nights/acts.h"
#include "harness/nights/night_store.h"
#include "harness/text/words.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/internal/track_options.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {
namespace {

struct TrackCheckArguments {
  HistoryFlags history = {};
  CheckOptions check = {};
  std::vector<std::string> nights = {};  // run id prefixes; empty: newest night of this machine
  bool rebuild = false;
};

int judge_and_show(const TrackCheckArguments& arguments, const Environment& environment) {
  nights::TrackStore store = open_history(arguments.history);
  const std::string host = machine::host_name("/");
  if (arguments.rebuild) {
    const auto judged = static_cast<std::int64_t>(nights::rebuild(store, host));
    say(environment, text::counted(judged, "night") + " rejudged");
  }
  nights::NightRequest request{.who = author(arguments.check.who, environment),
                               .now_utc = now_utc(),
                               .exit = arguments.check.exit};
  const std::vector<nights::TrackedRun> runs = store.runs();
  request.runs = nights::chosen_night(arguments.nights, runs, host, request.now_utc);
  nights::StoredNight night;
  if (request.runs.empty()) {
    night.night.notes.push_back(nights::no_run_words(runs, host));
  } else {
    night = nights::judge_and_record(request, store);
  }
  const int exit_code = night.night.exit_code;
  show_night(shown_night(std::move(night), store), arguments.check,
             {.history_words = history_words(arguments.history)}, environment);
  return exit_code;
}

int execute_track_check(const TrackCheckArguments& arguments, const Environment& environment) {
  return run_session("stepbench track check", arguments.check.output, environment,
                     [&] { return judge_and_show(arguments, environment); });
}

}  // namespace

void add_track_check(Command& command) {
  TrackCheckArguments& arguments = command.calls(execute_track_check);
  command.option(kCaseOptions, "--night RUN", arguments.nights,
                 "A run of the history, by the start of its id; default: the newest run of each "
                 "experiment on this machine");
  command.flag(kHistoryOptions, "--rebuild", arguments.rebuild,
               "Rejudge all nights of this machine first; reported alerts stay");
  add_check_options(command, arguments.check);
  add_history(command, arguments.history);
}

}  // namespace stepbench::cli
