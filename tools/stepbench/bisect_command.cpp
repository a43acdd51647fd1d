// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/bisect_command.h"

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/bisect/bisect_plan.h"
#include "harness/bisect/bisect_result.h"
#include "harness/bisect/run_bisect.h"
#include "harness/document/render.h"
#include "harness/report/bisect_document.h"
#include "harness/text/printable.h"
#include "tools/stepbench/campaign_context.h"
#include "tools/stepbench/command_line.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/script_options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kBisectExamples =
    R"(Searches the first-parent history between GOOD and BAD. --build builds each tested commit in its own tree, and
its launches alternate with those of GOOD. Every commit has a chance of being the culprit; the next build is of the
commit that halves the total. Builds of the same source differ by their code's place in memory, so the likeliest commit
and the one before it are finally built twice more, linked in other orders, and compared. A commit or a range is right
with the stated confidence; a step below twice the difference of builds is `likely` at most, and a search without a
result says so. Your own tree is never touched.

Examples:
  stepbench bisect v1.4 main train.yaml --build 'cmake -B build -G Ninja && ninja -C build my-worker' \
      --worker build/my-worker
  stepbench bisect HEAD~20 HEAD train.yaml --case 82d1ec --build 'make -j8 worker' --worker out/worker
  stepbench bisect v1.4 main --python train.py -- --batch-size 64      the script of each commit
  stepbench bisect 2.10.0 2.12.0 train.yaml --versions 2.10.0,2.11.0,2.12.0 \
      --build 'python3 -m venv {worktree}/venv && {worktree}/venv/bin/pip install torch=={version}' \
      --set interpreter={worktree}/venv/bin/python
  stepbench bisect v1.4 main train.yaml --build 'make worker' --dry-run       how many builds, how long
  stepbench bisect HEAD~20 HEAD train.yaml --build 'make worker' --resume results/20260131-120000-bisect-train

Exit status: 0 found, 1 less than a sure commit (a range with its chance, or a likely commit), 2 wrong
usage or configuration, 3 not reproduced or not decided, 4 an end cannot be measured, 129, 130 or 143 interrupted.)";

struct BisectOptions {
  bisect::BisectRequest request = {};
  ScriptOptions script = {};
  LockFlags lock = {};
  double confidence_percent = 95;
  std::optional<double> size_percent = {};
  BisectOutput output = {};
};

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
  request.lock = campaign::lock_policy(options.lock.none, options.lock.wait);
  if (!options.script.path.empty()) request.script = script_in_repository(options.script.path);
  request.arms.text = experiment_text(options.script, request.arms.file);
  if (request.build.empty() && request.script.empty()) {
    throw ConfigError("--build",
                      "expected the command that builds a commit, as 'make worker'; optional only "
                      "with --python SCRIPT");
  }
  return search_and_report(request, options.output, environment);
}

}  // namespace

void add_bisect(Command& command) {
  command.footer = kBisectExamples;
  BisectOptions& options = command.calls(execute_bisect);
  bisect::BisectRequest& request = options.request;
  command.argument("GOOD", request.good, "A commit, tag or branch that is fast", "COMMIT")
      .required();
  command.argument("BAD", request.bad, "A later one that is slow", "COMMIT").required();
  add_experiment(command, request.arms.file);
  options.script.may_be_missing = true;
  add_script(command, options.script);
  require_experiment(command, options.script, request.arms.file);
  add_building(command, request);
  command
      .option(kMeasureOptions, "--versions V1,V2,...", request.versions,
              "Search these versions in order instead of commits; {version} in --build and --set "
              "is replaced")
      .comma_separated();
  add_set(command, request.arms.set,
          "Use this value for all commits instead of the file's; {worktree} is the commit's tree");
  add_interpreter(command, request.arms.set);
  add_filter(command, request.arms.filter);
  add_cases(command, request.arms.cases);
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
  command
      .option(
          kMeasureOptions, "--seed N", request.seed,
          "Seed of the random order of the launches; default: one that follows from the commits")
      .whole_number(0, std::int64_t{1} << 53U);
  add_lock_flags(command, options.lock);
  add_bisect_output(command, options.output);
}

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

void add_bisect_output(Command& command, BisectOutput& output) {
  add_format(command, output.format, {"table", "markdown", "json"});
  add_quiet(command, output.quiet);
  command.flag(kRunOptions, "--dry-run", output.dry_run,
               "Print the number of builds and launches and the time; build nothing");
}

int search_and_report(const bisect::BisectRequest& request, const BisectOutput& output,
                      const Environment& environment) {
  const campaign::CampaignContext context = campaign_context(environment);
  if (output.dry_run) {
    environment.out << text::printable(
        report::bisect_plan_text(request, bisect::plan_bisect(request, context)),
        text::LineEnds::kKeep);
    return kExitOk;
  }
  const HostClock clock;
  run::Progress progress = make_progress(environment, output.quiet, clock);
  run::Interrupts interrupts;
  try {
    const bisect::BisectRun run = bisect::run_bisect(request, context, progress, interrupts, clock);
    if (run.signal) {
      environment.err << "stepbench: interrupted; continue with --resume "
                      << text::printable(run.folder.string()) << '\n';
      return run.exit_status;
    }
    if (output.format == "json") {
      print(environment, bisect::search_json(run));
      return run.exit_status;
    }
    print(environment, document::render(report::bisect_document(run),
                                        {.markdown = output.format == "markdown",
                                         .colour = environment.colour,
                                         .columns = environment.terminal_columns}));
    progress.print_line("Results: " + run.folder.string());
    return run.exit_status;
  } catch (const bisect::NothingMeasured& error) {
    environment.err << "stepbench: error: " << text::printable(error.what()) << '\n';
    return kExitNothingMeasured;
  }
}

}  // namespace stepbench::cli
