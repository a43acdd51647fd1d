// SPDX-License-Identifier: Apache-2.0
// `bisect` between two commits, and `track bisect` between the nights of an alert.
#include <filesystem>
#include <optional>
#include <string>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/bisect/bisect_result.h"
#include "harness/bisect/programs.h"
#include "harness/bisect/run_bisect.h"
#include "harness/nights/acts.h"
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
  command.option(kVerdictOptions, "--allow WHAT", request.allow,
                 "`load`, `steal`, `throttling`, `clocks`: where the machine may have favoured a "
                 "commit, only warn");
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
  Measurement measuring(environment, context, output.quiet);
  try {
    const bisect::BisectRun run = bisect::run_bisect(request, measuring.launching);
    if (run.signal) {
      say(environment,
          "interrupted; continue with --resume " + text::shell_word(run.folder.string()));
      return run.exit_status;
    }
    if (output.format == "json") {
      print(environment, bisect::search_json(run));
      return run.exit_status;
    }
    print(environment, render(report::bisect_document(run), environment, output.format));
    measuring.progress.print_line("Results: " + run.folder.string());
    return run.exit_status;
  } catch (const bisect::NothingMeasured& error) {
    say(environment, formatted("error: {}", error.what()));
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
  return search_and_report(bisect::request_of_alert(nights::resolve_alert(arguments.alert, alerts),
                                                    store, arguments.series, arguments.basis),
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
