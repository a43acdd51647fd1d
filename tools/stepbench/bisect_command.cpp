// SPDX-License-Identifier: Apache-2.0
// `bisect` between two commits, and `track bisect` between the nights of an alert.
#include <cmath>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/bisect/bisect_result.h"
#include "harness/bisect/programs.h"
#include "harness/bisect/run_bisect.h"
#include "harness/machine/environment.h"
#include "harness/nights/acts.h"
#include "harness/nights/history.h"
#include "harness/nights/night.h"
#include "harness/nights/night_store.h"
#include "harness/plan/yaml_document.h"
#include "harness/report/verdicts.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/internal/script_options.h"
#include "tools/stepbench/internal/track_options.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/session.h"

namespace stepbench::cli {
namespace {

struct BisectOptions {
  bisect::BisectRequest request = {};
  ScriptOptions script = {};
  double confidence_percent = 95;
  std::optional<double> size_percent = {};
  Output output = {};
};

// Options of both commands for how commits are built and searched.
void add_building(Command& command, bisect::BisectRequest& request) {
  command.option(kMeasureOptions, "--build COMMAND", request.build,
                 "Builds a commit: run by sh in its tree, with {commit} and {worktree} filled in");
  command.option(kMeasureOptions, "--worker PATH", request.worker,
                 "Where the command leaves the worker program, or the folder that holds it and its "
                 "libraries, in the tree; default: the only stepbench-worker there");
  command
      .option(kMeasureOptions, "--jobs N", request.jobs,
              "Build N commits in parallel, including those that may be needed next")
      .whole_number(1, 64);
  command.flag(kCaseOptions, "--all", request.merges,
               "If the culprit is a merge, also search the commits that it merged");
  add_results(command, request.results, "Parent folder of the search's folder");
  add_resume(command, request.resume);
}

void add_bisect_output(Command& command, Output& output) {
  add_format(command, output.format, {"table", "markdown", "json"});
  add_quiet(command, output.quiet);
  command.flag(kRunOptions, "--dry-run", output.dry_run,
               "Print the number of builds and launches and the time; build nothing");
}

// Returns the exit status.
int search_and_report(const bisect::BisectRequest& request, const Output& output,
                      const Environment& environment) {
  const campaign::CampaignContext context = campaign_context(environment);
  if (output.dry_run) {
    environment.out << text::printable(
        report::bisect_plan_text(request, bisect::plan_bisect(request, context)),
        text::LineEnds::kKeep);
    return kExitOk;
  }
  auto [clock, progress, interrupts] = Measurement(environment, output.quiet);
  try {
    const bisect::BisectRun run = bisect::run_bisect(request, context, progress, interrupts, clock);
    if (run.signal) {
      environment.err << "stepbench: interrupted; continue with --resume "
                      << text::shell_word(run.folder.string()) << '\n';
      return run.exit_status;
    }
    if (output.format == "json") {
      print(environment, bisect::search_json(run));
      return run.exit_status;
    }
    print(environment, render(report::bisect_document(run), environment, output.format));
    progress.print_line("Results: " + run.folder.string());
    return run.exit_status;
  } catch (const bisect::NothingMeasured& error) {
    environment.err << "stepbench: error: " << text::printable(error.what()) << '\n';
    return kExitNothingMeasured;
  }
}

// Path of the script within its repository; each commit uses its own version.
std::string script_in_repository(const std::string& script) {
  const std::filesystem::path path = std::filesystem::absolute(script).lexically_normal();
  const std::filesystem::path top = bisect::Repository(path.parent_path()).top();
  return path.lexically_relative(top).string();
}

int execute_bisect(const BisectOptions& options, const Environment& environment) {
  bisect::BisectRequest request = options.request;
  request.confidence = options.confidence_percent / 100;
  if (options.size_percent) request.size = *options.size_percent / 100;
  if (!options.script.path.empty()) request.script = script_in_repository(options.script.path);
  read_experiment(options.script, request);
  if (!request.text) request.text = plan::read_config_text(request.file);
  if (request.build.empty() && request.script.empty()) {
    throw ConfigError("--build",
                      "expected the command that builds a commit, as 'make worker'; optional only "
                      "with --python SCRIPT");
  }
  return search_and_report(request, options.output, environment);
}

}  // namespace

void add_bisect(Command& command) {
  BisectOptions& options = command.calls(execute_bisect);
  bisect::BisectRequest& request = options.request;
  command.argument("GOOD", request.good, "A commit, tag or branch that is fast", "COMMIT")
      .required();
  command.argument("BAD", request.bad, "A later one that is slow", "COMMIT").required();
  options.script.may_be_missing = true;
  add_experiment(command, request.file, options.script);
  add_building(command, request);
  command
      .option(kMeasureOptions, "--versions V1,V2,...", request.versions,
              "Search these versions in order instead of commits; {version} in --build and --set "
              "is replaced")
      .comma_separated();
  add_set(command, request.set,
          "Use this value for all commits instead of the file's; {worktree} is the commit's tree");
  add_interpreter(command, request.set);
  add_filter(command, request.filter);
  add_cases(command, request.cases);
  command
      .option(kVerdictOptions, "--metric METRIC", request.metric,
              "What is judged: step, step_p99, a phase such as forward, any that `list metrics` "
              "names, or counts: operations and instructions, which do not vary")
      .with_default();
  command
      .option(kVerdictOptions, "--confidence PERCENT", options.confidence_percent,
              "Required confidence of a commit or a range")
      .number(50, 99.9, "%")
      .with_default("95");
  command
      .option(kVerdictOptions, "--size PERCENT", options.size_percent,
              "Search for the first step of this size if the range may contain several; default: "
              "the largest step")
      .number(0.01, 10'000, "%");
  add_seed(command, request.seed, "one that follows from the commits");
  add_lock_flags(command, request.lock);
  add_bisect_output(command, options.output);
}

namespace {

constexpr std::string_view kStep = "step_ns";

struct Moved {
  const nights::AlertSeries* at = nullptr;
  const nights::TrackedSeries* series = nullptr;
};

Moved chosen(const nights::Alert& alert, const nights::History& history, const std::string& named) {
  Moved chosen;
  std::vector<std::string> known;
  for (const nights::AlertSeries& each : alert.series) {
    const nights::SeriesHistory* found = history.find_series(each.id);
    if (found == nullptr || each.back) continue;
    const nights::TrackedSeries* series = &found->series;
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

const nights::TrackedRun& night(const std::string& run_id, const char* which,
                                const nights::Alert& alert, const nights::History& history) {
  const nights::TrackedRun* found = history.find_run(run_id);
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
bisect::BisectRequest request_of_alert(const nights::Alert& alert, nights::TrackStore& store,
                                       const std::string& series, bisect::BisectRequest basis) {
  const nights::History history = store.history({.host = machine::host_name("/")});
  const Moved moved = chosen(alert, history, series);
  const nights::TrackedRun& good = night(moved.at->change.good, "last good", alert, history);
  const nights::TrackedRun& bad = night(moved.at->change.bad, "first bad", alert, history);
  if (good.git_sha == bad.git_sha) {
    throw ConfigError(alert.id, "both nights are of commit " +
                                    bisect::short_id({.id = good.git_sha}) +
                                    ": the program did not change");
  }
  basis.good = good.git_sha;
  basis.bad = bad.git_sha;
  basis.file = bad.config_path;
  basis.text = bad.config_text;
  basis.set.insert(basis.set.begin(), bad.asked.set.begin(), bad.asked.set.end());
  basis.sweep = bad.asked.sweep;
  basis.cases = {moved.series->case_id};
  const std::string& metric = moved.series->metric;
  basis.metric = metric == kStep ? "step"
                 : metric.starts_with(nights::kPhaseSeries)
                     ? metric.substr(nights::kPhaseSeries.size())
                     : metric;
  if (!basis.size) basis.size = std::abs(std::expm1(moved.at->change.size));
  basis.layout = nights::learnt_layout(store, alert, moved.series->id);
  return basis;
}

struct TrackBisectArguments {
  std::string alert = {};
  std::string series = {};
  bisect::BisectRequest basis = {};
  HistoryFlags history = {};
  Output output = {};
};

int track_bisect(const TrackBisectArguments& arguments, const Environment& environment) {
  if (arguments.basis.build.empty()) {
    throw ConfigError("--build", "expected the command that builds a commit, as 'make worker'");
  }
  nights::TrackStore store = open_history(arguments.history);
  const nights::AlertLog alerts =
      nights::fold_alerts(store.events(nights::WhichEvents::kStatements));
  return search_and_report(request_of_alert(nights::resolve_alert(arguments.alert, alerts), store,
                                            arguments.series, arguments.basis),
                           arguments.output, environment);
}

}  // namespace

void add_track_bisect(Command& command) {
  TrackBisectArguments& arguments = command.calls(track_bisect);
  command.argument("ALERT", arguments.alert, "An alert: A17", "ALERT").required();
  add_building(command, arguments.basis);
  command.option(
      kCaseOptions, "--series SERIES", arguments.series,
      "The series to search if several changed, by the start of its id; default: the step's");
  add_lock_flags(command, arguments.basis.lock);
  add_history(command, arguments.history);
  add_bisect_output(command, arguments.output);
}

}  // namespace stepbench::cli
