// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <ostream>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/plan_forecast.h"
#include "harness/campaign/run_experiment.h"
#include "harness/campaign/run_request.h"
#include "harness/campaign/session.h"
#include "harness/estimate/row_values.h"
#include "harness/report/case_table.h"
#include "harness/report/checks.h"
#include "harness/report/exports.h"
#include "harness/report/plan_text.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/campaign_context.h"
#include "tools/stepbench/command_line.h"
#include "tools/stepbench/detectable_change.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/output_files.h"
#include "tools/stepbench/run_folders.h"
#include "tools/stepbench/script_options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kRunExamples =
    R"(Every launch is a fresh worker process; its row is on disk before the next begins.

Examples:
  stepbench run configs/quickstart.yaml                      measure, print a table
  stepbench run sweep.yaml --dry-run                         only say what would be run
  stepbench run sweep.yaml --smoke                           does everything work? 2 steps per case
  stepbench run --python train.py --quick                    a first look, in seconds
  stepbench run sweep.yaml --set launches=6 --filter loader.num_workers=4
  stepbench run train.yaml --sweep precision=fp32,bf16   each of these values
  stepbench run --resume results/RUN                         resume an interrupted run
  stepbench run train.yaml --profile                         and what did each operation cost?
  stepbench run train.yaml --headroom                        and what would a perfect loader save?
  stepbench run sweep.yaml --shard 2/4                       the second quarter, on this machine
  stepbench run sweep.yaml --wrap 'nsys profile -o {run_dir}/{case_id}'
  stepbench run mine.yaml --worker build/my-worker           workloads of your own
  stepbench run smoke.yaml --junit report.xml --format github   in a CI job
  stepbench run --python train.py -- --width 64              a script of your own, as it is

Exit status: 0 all measured or skipped by rule, 1 some failed, 2 wrong usage or configuration, or a
file that cannot be written, 4 nothing measured, 129, 130 or 143 interrupted (finished rows are
kept).)";

struct RunOptions {
  campaign::RunRequest request = {};
  ScriptOptions script = {};
  std::string shard = {};
  bool dry_run = false;
  bool headroom = false;
  LockFlags lock = {};
  bool quiet = false;
  std::string sort = {};
  std::string format = "table";
  ExportFiles exports = {};
};

// Finds an invalid name before hours of measuring.
void check_sort(const std::string& sort, const plan::Plan& plan) {
  if (sort.empty()) return;
  record::Results to_come;
  for (const plan::PlannedCase& planned : plan.cases) {
    to_come.unfinished.push_back(
        {.key = {.case_id = planned.resolved.case_id}, .options = planned.resolved.options});
  }
  std::vector<estimate::CaseRow> rows = estimate::case_rows(to_come);
  estimate::sort_rows(rows, sort);
}

// Takes the request from the run's folder, and changes to the folder that the experiment's paths
// are relative to.
void take_recorded(campaign::RunRequest& request) {
  if (request.resume.empty()) {
    throw ConfigError("FILE",
                      "is missing: expected an experiment, as in `stepbench run "
                      "configs/quickstart.yaml`, --python SCRIPT, or --resume RUN");
  }
  campaign::RecordedRequest recorded = campaign::recorded_request(request);
  std::error_code ignored;
  if (!std::filesystem::equivalent(recorded.folder, std::filesystem::current_path(), ignored)) {
    recorded.request.resume = std::filesystem::absolute(request.resume).string();
    if (!request.worker.empty()) {
      recorded.request.worker = std::filesystem::absolute(request.worker).string();
    }
    std::filesystem::current_path(recorded.folder);
  }
  request = std::move(recorded.request);
}

void print_results(const RunOptions& options, const campaign::RunEnd& end,
                   const Environment& environment) {
  const report::TableStyle style{
      .colour = environment.colour, .columns = environment.terminal_columns, .sort = options.sort};
  if (options.format == "table") {
    print(environment, report::render_table(end.results, style) +
                           "\nResults: " + text::printable(end.run_folder.string()) + '\n' +
                           traces_text(end.run_folder));
  } else if (options.format == "github") {
    print(environment, report::github_annotations(report::checks_of(end.results)));
  } else {
    print(environment, report::render(end.results, format_of(options.format), style));
  }
}

int measure_and_print(const RunOptions& options, const Environment& environment) {
  campaign::RunRequest request = options.request;
  if (options.headroom) request.sweep.emplace_back("loader.alone=none,loader,step");
  request.shard = request.resume.empty()
                      ? campaign::shard_here(options.shard, environment.variables)
                      : campaign::parse_shard(options.shard);
  request.lock = campaign::lock_policy(options.lock.none, options.lock.wait);
  if (request.file.empty() && options.script.path.empty()) {
    take_recorded(request);
  } else {
    request.text = experiment_text(options.script, request.file);
  }
  const auto chooses_loop = [](const std::string& given) {
    return given.starts_with("script.loop=") || given.starts_with("loop=");
  };
  if (const auto note = note_of_loops(options.script);
      note && std::ranges::none_of(request.set, chooses_loop) &&
      std::ranges::none_of(request.sweep, chooses_loop)) {
    environment.err << "note: " << text::printable(*note) << '\n';
  }
  const campaign::CampaignContext context = campaign_context(environment);
  const campaign::PlannedRun run = campaign::plan_experiment(request, context, !options.dry_run);
  campaign::refuse_copies(run.planned.plan, {.shard = options.shard}, environment.variables);
  if (options.dry_run) {
    const plan::Plan& plan = run.planned.plan;
    environment.out << text::printable(
        report::plan_table(plan, campaign::estimate_time(plan, request.results)),
        text::LineEnds::kKeep);
    if (!request.is_short())
      environment.out << power_text(plan, request.results, stored_machine_text(environment));
    return kExitOk;
  }
  check_sort(options.sort, run.planned.plan);
  const HostClock clock;
  run::Progress progress = make_progress(environment, options.quiet, clock);
  run::Interrupts interrupts;
  const campaign::RunEnd end =
      campaign::run_experiment(request, run, context, progress, interrupts, clock);
  if (end.run_folder.empty()) {
    write_error_export_files(options.exports, "stepbench run", "interrupted", end.exit_status);
    return end.exit_status;
  }
  write_export_files(options.exports, end.results);
  print_results(options, end, environment);
  write_report(options.exports, end.results, {end.run_folder.string()}, environment);
  if (end.signal) {
    environment.err << "stepbench: interrupted; continue with: stepbench run --resume "
                    << text::printable(text::shell_word(end.run_folder.string())) << '\n';
  }
  return end.exit_status;
}

int execute_run(const RunOptions& options, const Environment& environment) {
  const std::string command = "stepbench run";
  return run_session(
      command, options.exports, environment,
      [&] { return measure_and_print(options, environment); },
      [&](const Failure& failure) {
        write_error_export_files(options.exports, command, failure.text, failure.exit_status);
      });
}

void add_which_cases(Command& run, RunOptions& options) {
  add_set(run, options.request.set);
  add_sweep(run, options.request.sweep);
  add_filter(run, options.request.filter);
  add_cases(run, options.request.cases);
  add_shard(run, options.shard);
  add_max_cases(run, options.request.max_cases);
}

void add_how_to_measure(Command& run, RunOptions& options) {
  add_launches(run, options.request.launches);
  CommandOption& smoke =
      run.flag(kMeasureOptions, "--smoke", options.request.smoke,
               "Does everything work? 1 launch, 1 warm-up and 2 active steps per case; the numbers "
               "mean nothing and are never compared")
          .common();
  run.flag(kMeasureOptions, "--quick", options.request.quick,
           "A first look in seconds: 2 launches, 3 warm-up and 10 active steps per case; never "
           "compared, as those of --smoke")
      .excludes(smoke)
      .common();
  run.flag(kMeasureOptions, "--profile{native}", options.request.profile,
           "Also record each operation, in one more launch per case; kineto: with "
           "libtorch's own profiler")
      .one_of({"native", "kineto"})
      .common();
  run.flag(
      kMeasureOptions, "--headroom", options.headroom,
      "What would a perfect loader save? Each case also with its loader alone, and with its step "
      "alone on batches that are there already: loader.alone");
  run.option(kMeasureOptions, "--wrap COMMAND", options.request.wrap,
             "Run each worker under this command, a profiler for instance; {run_dir}, {case_id} "
             "and {launch} are filled in");
  add_worker(run, options.request.worker);
  add_interpreter(run, options.request.set);
  add_ranks(run, options.request.set);
  add_lock_flags(run, options.lock);
}

void add_the_run(Command& run, RunOptions& options) {
  add_results(run, options.request.results, "Parent folder of the run's folder");
  CommandOption& resume = add_resume(run, options.request.resume);
  run.flag(kRunOptions, "--retry-failed", options.request.retry_failed,
           "With --resume: also repeat what failed")
      .needs(resume);
  add_labels(run, options.request.labels);
  run.option(kRunOptions, "--sort COLUMN", options.sort,
             "Order rows of the table by an option or column; -COLUMN: largest first");
  run.flag(kRunOptions, "--dry-run", options.dry_run, "Print the plan, run nothing");
}

}  // namespace

void add_run(Command& run) {
  run.footer = kRunExamples;
  RunOptions& options = run.calls(execute_run);
  campaign::RunRequest& request = options.request;
  add_experiment(run, request.file)
      .described_as("The experiment, a YAML file; - is standard input. --resume needs none");
  add_script(run, options.script);
  run.on_parsed = [&options, &request] { take_script_file(options.script, request.file); };
  add_which_cases(run, options);
  add_how_to_measure(run, options);
  add_the_run(run, options);
  add_format(run, options.format, {"table", "json", "markdown", "github"});
  add_export_files(run, options.exports);
  add_quiet(run, options.quiet);
}

}  // namespace stepbench::cli
