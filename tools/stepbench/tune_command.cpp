// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/report/plans.h"
#include "harness/report/verdicts.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "harness/tune/run_tune.h"
#include "harness/tune/tune_plan.h"
#include "harness/tune/tune_result.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/internal/script_options.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/session.h"

namespace stepbench::cli {
namespace {

struct TuneOptions {
  tune::TuneRequest request = {};
  ScriptOptions script = {};
  std::string budget = {};
  std::optional<std::size_t> launches = {};
  std::string memory_limit = {};
  std::optional<double> margin_percent = {};
  bool no_confirm = false;
  Output output = {};
};

void print_tuned(const tune::TuneRun& run, const record::Results& results,
                 const TuneOptions& options, const Environment& environment,
                 run::Progress& progress) {
  if (options.output.format == "json") {
    print(environment, tune::tuning_json(run));
    return;
  }
  print(environment,
        render(report::tune_document(run, results), environment, options.output.format));
  progress.print_line("Results: " + run.folder.string());
}

int print_plan_of_search(const TuneOptions& options, const tune::TuneRequest& request,
                         const campaign::CampaignContext& context, const Environment& environment) {
  if (options.output.format != "table") {
    throw ConfigError("--format", options.output.format +
                                      " needs measurements, but --dry-run measures nothing; "
                                      "`stepbench plan --format json` has the points");
  }
  if (!request.resume.empty()) {
    throw ConfigError("--dry-run", "plans a new search; leave out --resume");
  }
  tune::TunePlan planned = tune::plan_tune(request, context);
  planned.cost = tune::cost_of_points(request, planned.plan());
  environment.out << text::printable(report::tune_plan_text(request, planned),
                                     text::LineEnds::kKeep);
  return kExitOk;
}

int execute_tune(const TuneOptions& options, const Environment& environment) {
  tune::TuneRequest request = options.request;
  if (!options.budget.empty())
    request.allowance.seconds = campaign::seconds_of("--budget", options.budget);
  request.allowance.launches = options.launches;
  if (!options.memory_limit.empty())
    request.memory_limit = campaign::bytes_of("--memory-limit", options.memory_limit);
  if (options.margin_percent) request.margin = *options.margin_percent / 100;
  request.confirm = !options.no_confirm;
  check_export_files(options.output, environment);
  read_experiment(options.script, request);
  const campaign::CampaignContext context = campaign_context(environment);
  if (options.output.dry_run) return print_plan_of_search(options, request, context, environment);
  Measurement measuring(environment, context, options.output.quiet);
  const tune::TuneRun run = tune::run_tune(request, measuring.launching);
  if (run.signal) {
    say(environment, run.folder.empty() ? "interrupted"
                                        : "interrupted; continue with --resume " +
                                              text::shell_word(run.folder.string()));
    return run.exit_status;
  }
  const record::Results results = record::read_results(run.folder);
  print_tuned(run, results, options, environment, measuring.progress);
  if (!request.tuned_file.empty() && run.tuned_file != request.tuned_file) {
    say(environment,
        formatted("--write: nothing written to {}: no decided winner", request.tuned_file));
  }
  write_report(
      options.output, [&] { return report::tune_content(run, results); }, {run.folder.string()},
      environment);
  return run.exit_status;
}

}  // namespace

void add_tune(Command& command) {
  TuneOptions& options = command.calls(execute_tune);
  tune::TuneRequest& request = options.request;
  add_experiment(command, request.file, options.script);
  add_set(command, request.set);
  add_sweep(command, request.sweep);
  command
      .option(kCaseOptions, "--space S1,S2,...", request.spaces,
              "Sweep usual values around the file's own: loader (workers, prefetch, pinning, an "
              "iterable's numbers), transfer, batch, precision")
      .one_of(tune::space_names())
      .comma_separated()
      .common();
  command
      .option(kCaseOptions, "--tune NAME=V1,V2,...", request.arguments,
              "Arguments of a script, as num_workers=0..8,prefetch_factor=2,4: every combination "
              "is passed to it")
      .common();
  add_filter(command, request.filter);
  command
      .option(kMeasureOptions, "--budget TIME", options.budget,
              "Time that the launches may take, as 20m. One launch of each point and ten pairs to "
              "confirm the winner come first; default: as much as it needs")
      .common();
  command
      .option(kMeasureOptions, "--launches N", options.launches,
              "Limit of launches, instead of or besides a time")
      .whole_number(1, 1'000'000);
  command
      .option(kMeasureOptions, "--objective METRIC", request.objective,
              "Metric to minimise, or to maximise as samples_per_s and tokens_per_s: any that "
              "`list metrics` names. Default: the step, or samples_per_s where the steps of the "
              "points hold different numbers of samples")
      .common();
  command
      .option(kMeasureOptions, "--memory-limit SIZE", options.memory_limit,
              "Exclude points that use more, as 20GiB: of the device's memory if it is counted, "
              "else of the process tree's. Small batches then come first, and points that they "
              "predict to use more are not tried")
      .common();
  add_seed(command, request.seed, "one that follows from the plan");
  add_worker(command, request.worker);
  add_interpreter(command, request.set);
  add_lock_flags(command, request.lock);
  command
      .option(kVerdictOptions, "--margin PERCENT", options.margin_percent,
              "The difference that does not matter; default: 1 %, or what the file says")
      .number(0, 50, "%");
  command.option(kVerdictOptions, "--allow WHAT", request.allow,
                 "`load`, `steal`, `throttling`, `clocks`: where the machine may have favoured "
                 "the winner or the file's own settings, only warn");
  command.flag(kVerdictOptions, "--no-confirm", options.no_confirm,
               "Do not compare the winner with the file's own settings");
  add_results(command, request.results, "Parent folder of the search's folder");
  add_resume(command, request.resume);
  add_format(command, options.output.format, {"table", "markdown", "json"});
  command.option(
      kOutputOptions, "--write FILE", request.tuned_file,
      "Also write the experiment with the winner's values there, unless the search is undecided");
  add_report_file(command, options.output.report);
  command.flag(kRunOptions, "--dry-run", options.output.dry_run,
               "Print the points, the rungs and what they would take, measure nothing");
  add_quiet(command, options.output.quiet);
}

}  // namespace stepbench::cli
