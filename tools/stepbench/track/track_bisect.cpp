// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <string_view>

#include "harness/base/error.h"
#include "harness/bisect/programs.h"
#include "harness/bisect/run_bisect.h"
#include "harness/machine/environment.h"
#include "harness/nights/acts.h"
#include "harness/nights/alert.h"
#include "harness/nights/night_store.h"
#include "harness/text/words.h"
#include "harness/track/history.h"
#include "tools/stepbench/bisect_command.h"
#include "tools/stepbench/track/track_command.h"
#include "tools/stepbench/track/track_options.h"

namespace stepbench::cli {
namespace {

constexpr std::string_view kStep = "step_ns";

struct Moved {
  const nights::AlertSeries* at = nullptr;
  const track::TrackedSeries* series = nullptr;
};

Moved chosen(const nights::Alert& alert, const track::History& history, const std::string& named) {
  Moved chosen;
  std::vector<std::string> known;
  for (const nights::AlertSeries& each : alert.series) {
    const track::SeriesHistory* found = history.find_series(each.id);
    if (found == nullptr || each.back) continue;
    const track::TrackedSeries* series = &found->series;
    known.push_back(each.id.substr(0, 8) + " (" + series->metric + ")");
    if (!each.id.starts_with(named)) continue;
    const bool nearer =
        chosen.series == nullptr || (chosen.series->metric != kStep && series->metric == kStep);
    if (nearer) chosen = {&each, series};
  }
  if (chosen.series != nullptr) return chosen;
  throw ConfigError(named.empty() ? alert.id : "--series",
                    known.empty()
                        ? "its series are not in the history"
                        : "expected one of " + text::join(known) + ", found '" + named + "'");
}

const track::TrackedRun& night(const std::string& run_id, const char* which,
                               const nights::Alert& alert, const track::History& history) {
  const track::TrackedRun* found = history.find_run(run_id);
  if (found == nullptr) {
    throw ConfigError(
        alert.id, std::string("its ") + which + " night" +
                      (run_id.empty() ? " is unknown" : ", " + run_id + ", is not in the history") +
                      "; `stepbench bisect GOOD BAD` searches between any two commits");
  }
  if (found->git_sha.empty()) {
    throw ConfigError(alert.id, std::string("its ") + which + " night, " + run_id +
                                    ", was not measured in a git repository");
  }
  return *found;
}

// Fills `basis` in from an alert: the commits of its last good and first bad night, the experiment
// and case of the bad night, the layout of builds learnt by its nights, and the metric and size of
// the changed series. `series` chooses that by the beginning of its id; the default is that of the
// step, else the first.
bisect::BisectRequest request_of_alert(const nights::Alert& alert, track::TrackStore& store,
                                       const std::string& series, bisect::BisectRequest basis) {
  const track::History history = store.history({.host = machine::host_name("/")});
  const Moved moved = chosen(alert, history, series);
  const track::TrackedRun& good = night(moved.at->change.good, "last good", alert, history);
  const track::TrackedRun& bad = night(moved.at->change.bad, "first bad", alert, history);
  if (good.git_sha == bad.git_sha) {
    throw ConfigError(alert.id, "both nights are of commit " +
                                    bisect::short_id({.id = good.git_sha}) +
                                    ": the program did not change");
  }
  basis.good = good.git_sha;
  basis.bad = bad.git_sha;
  basis.arms.file = bad.config_path;
  basis.arms.text = bad.config_text;
  basis.arms.set.insert(basis.arms.set.begin(), bad.asked.set.begin(), bad.asked.set.end());
  basis.arms.sweep = bad.asked.sweep;
  basis.arms.cases = {moved.series->case_id};
  const std::string& metric = moved.series->metric;
  basis.metric = metric == kStep ? "step"
                 : metric.starts_with(track::kPhaseSeries)
                     ? metric.substr(track::kPhaseSeries.size())
                     : metric;
  if (!basis.size) basis.size = std::abs(std::expm1(moved.at->change.size));
  basis.layout = nights::learnt_layout(store, alert, moved.series->id);
  return basis;
}

constexpr const char* kTrackBisectExamples =
    R"(Searches the commits between the alert's last good and first bad night, in the repository of this
folder: the night's experiment, the case, the metric and the size are those of the alert. Otherwise as
`stepbench bisect`, which says how sure the answer is. What is found is not recorded in the history.

Examples:
  stepbench track bisect A17 --build 'ninja -C build my-worker' --worker build/my-worker
  stepbench track bisect A17 --build 'make worker' --series 4f2a91c0       of several that moved
  stepbench track bisect A17 --build 'make worker' --resume results/20260131-120000-bisect-train

Exit status: 0 found, 1 less than a sure commit, 2 wrong usage, or an alert that cannot be searched,
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
  const nights::AlertLog alerts =
      nights::fold_alerts(store.events(track::WhichEvents::kStatements));
  bisect::BisectRequest request = request_of_alert(nights::resolve_alert(arguments.alert, alerts),
                                                   store, arguments.series, arguments.basis);
  request.lock = campaign::lock_policy(arguments.lock.none, arguments.lock.wait);
  return search_and_report(request, arguments.output, environment);
}

}  // namespace

void add_track_bisect(Command& track) {
  Command& command =
      track.add("bisect", "Which commit made it slower? Between the nights of an alert",
                kTrackBisectExamples);
  TrackBisectArguments& arguments = command.calls(track_bisect);
  command.argument("ALERT", arguments.alert, "An alert: A17", "ALERT").required();
  add_building(command, arguments.basis);
  command.option(
      kCaseOptions, "--series SERIES", arguments.series,
      "The series to search if several changed, by the start of its id; default: the step's");
  add_lock_flags(command, arguments.lock);
  add_history(command, arguments.history);
  add_bisect_output(command, arguments.output);
}

}  // namespace stepbench::cli
