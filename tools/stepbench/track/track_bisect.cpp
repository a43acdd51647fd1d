// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "harness/base/error.h"
#include "harness/bisect/alert_request.h"
#include "harness/machine/environment.h"
#include "harness/nights/acts.h"
#include "tools/stepbench/bisect_output.h"
#include "tools/stepbench/track/check_options.h"
#include "tools/stepbench/track/track_command.h"
#include "tools/stepbench/track/track_options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kTrackBisectExamples =
    R"(Searches the commits between the alert's last good and first bad night, in the repository of this
folder: the night's experiment, the case, the metric and the size are those of the alert. Otherwise as
`stepbench bisect`, which says how sure the answer is. What is found is not recorded in the history.

Examples:
  stepbench track bisect A17 --build 'ninja -C build my-worker' --worker build/my-worker
  stepbench track bisect A17 --build 'make worker' --series 4f2a91c0       of several that moved
  stepbench track bisect A17 --build 'make worker' --resume results/20260131-120000-bisect-train

Exit status: 0 found, 1 an answer that is less than a name, 2 wrong usage, or an alert that no search can follow,
3 not reproduced or not decided, 4 an end cannot be measured, 129, 130 or 143 interrupted.)";

struct TrackBisectArguments {
  std::string alert = {};
  std::string series = {};
  bisect::BisectRequest basis = {};
  HistoryFlags history = {};
  LockFlags lock = {};
  BisectOutput output = {};
};

int track_bisect(const TrackBisectArguments& arguments, const Environment& environment) {
  if (arguments.basis.build.empty()) {
    throw ConfigError("--build", "expected the command that builds a commit, as 'make worker'");
  }
  track::TrackStore store = open_history(arguments.history);
  const nights::AlertLog alerts = nights::fold_alerts(store.events(track::WhichEvents::kSaid));
  bisect::BisectRequest request = bisect::request_of_alert(
      nights::resolve_alert(arguments.alert, alerts),
      store.history({.host = machine::host_name("/")}), arguments.series, arguments.basis);
  request.lock = campaign::lock_policy(arguments.lock.none, arguments.lock.wait);
  return search_and_tell(request, arguments.output, environment);
}

}  // namespace

void add_track_bisect(Command& track) {
  Command& command =
      track.add("bisect", "Which commit made it slower? Between the nights of an alert",
                kTrackBisectExamples);
  TrackBisectArguments& arguments = command.calls(track_bisect);
  command.argument("ALERT", arguments.alert, "An alert: A17", "ALERT").required();
  add_building(command, arguments.basis);
  command.option(kCaseOptions, "--series SERIES", arguments.series,
                 "Of several that moved: the beginning of its id; default: the step's");
  add_lock_flags(command, arguments.lock);
  add_history(command, arguments.history);
  add_bisect_output(command, arguments.output);
}

}  // namespace stepbench::cli
