// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <optional>
#include <ostream>
#include <string>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/range_commits.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/track/check_options.h"
#include "tools/stepbench/track/track_command.h"
#include "tools/stepbench/track/track_options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kTrackCheckExamples =
    R"(Looks at the newest night of this machine: each series against the nights before it. What moved is
measured again the same night, the last good build against tonight's in turns, and once more with
both programs at other paths; only what was there both times is a regression. A series has ten
nights to warm up; another driver, torch or kernel begins a new level.

Examples:
  stepbench track check                                the night that was just added
  stepbench track check --no-confirm                   only look: nothing is measured
  stepbench track check --night 2026-01-31             a run of the history, by the begin of its id
  stepbench track check --good old/stepbench-worker    where the last good program was not kept
  stepbench track check --format markdown > comment.md
  stepbench track check --verdict night.json; jq .exit_code night.json
  stepbench track check --junit night.xml --openmetrics night.prom

results/NIGHT.md says how to read it. A regression stays until measurements of the last good program
against the night's no longer find it, until somebody accepts it, or until there is a new
baseline (`track note`).

Exit status: 0 nothing was measured to be slower, 1 a regression (with --allow-known: one that was
told tonight), 2 wrong usage or a history that cannot be read, 3 a suspicion that could not be
measured (0 with --allow-inconclusive), 4 nothing to judge, a night dated in the future, a case without a value, or
a measurement that was disturbed, 130 or 143 interrupted.)";

struct TrackCheckArguments {
  HistoryFlags history = {};
  CheckOptions check = {};
  bool quiet = false;
};

int judge_and_show(const TrackCheckArguments& arguments, const Environment& environment) {
  track::TrackStore store = open_history(arguments.history);
  const campaign::CheckRequest request = complete_request(arguments.check, environment);
  std::optional<run::Interrupts> interrupts;
  campaign::CheckedNight checked = campaign::check_night(
      request, store,
      measure_suspects(arguments.check, store, environment, arguments.quiet, interrupts));
  campaign::list_commits(checked.night.alerts, checked.history.runs);
  show_night(checked, arguments.check, night_view(arguments.check, arguments.history), environment);
  if (checked.signal) return exit_status_of_signal(*checked.signal);
  return checked.night.exit_code;
}

int execute_track_check(const TrackCheckArguments& arguments, const Environment& environment) {
  check_export_files(arguments.check.exports, environment);
  try {
    return judge_and_show(arguments, environment);
  } catch (const os::OutputRefused&) {
    throw;
  } catch (const std::exception& error) {
    // An old verdict must not be taken for this one's.
    const Failure failure = failure_of(error, "stepbench track check");
    write_no_night(arguments.check, "stepbench track check", failure.exit_status, failure.text);
    throw;
  }
}

}  // namespace

void add_track_check(Command track) {
  const Command command =
      track.add("check", "Judge a night: which series moved?", kTrackCheckExamples);
  TrackCheckArguments& arguments = command.calls(execute_track_check);
  command.repeated(kCaseOptions, "--night RUN", arguments.check.request.nights,
                   "A run of the history, by the begin of its id; default: the newest run of each "
                   "experiment on this machine");
  add_check_options(command, arguments.check);
  add_results(command, arguments.check.request.results,
              "Folder in which the measurements of suspects are made");
  add_history(command, arguments.history);
  add_quiet(command, arguments.quiet);
}

}  // namespace stepbench::cli
