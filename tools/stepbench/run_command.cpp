// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/campaign/examine_machine.h"
#include "harness/campaign/run_experiment.h"
#include "harness/estimate/columns.h"
#include "harness/report/exports.h"
#include "harness/report/plans.h"
#include "harness/report/result_tables.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/internal/run_folders.h"
#include "tools/stepbench/internal/script_options.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/session.h"

namespace stepbench::cli {
namespace {

constexpr const char* kRunCommand = "stepbench run";

struct RunOptions {
  campaign::RunRequest request = {};
  ScriptOptions script = {};
  std::string shard = {};
  bool headroom = false;
  std::string sort = {};
  Output output = {};
};

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
  if (options.output.format == "table") {
    print(environment,
          formatted("{}\nResults: {}\n{}", report::render_table(end.results, style),
                    text::printable(end.run_folder.string()), traces_text(end.run_folder)));
  } else if (options.output.format == "github") {
    print(environment, report::github_annotations(report::checks_of(end.results)));
  } else {
    print(environment, report::render(end.results, format_of(options.output.format), style));
  }
}

int measure_and_print(const RunOptions& options, const Environment& environment) {
  campaign::RunRequest request = options.request;
  if (options.headroom) request.sweep.emplace_back("loader.alone=none,loader,step");
  request.shard = request.resume.empty()
                      ? campaign::shard_here(options.shard, environment.variables)
                      : campaign::parse_shard(options.shard);
  if (request.file.empty() && options.script.path.empty()) {
    take_recorded(request);
  } else {
    read_experiment(options.script, request);
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
  const campaign::PlannedRun run =
      campaign::plan_experiment(request, context, !options.output.dry_run);
  campaign::refuse_copies(run.planned.plan, {.shard = options.shard}, environment.variables);
  if (options.output.dry_run) {
    const plan::Plan& plan = run.planned.plan;
    environment.out << text::printable(
        report::plan_table(plan, campaign::estimate_time(plan, request.results)),
        text::LineEnds::kKeep);
    if (!request.is_short())
      environment.out << report::power_text(plan, request.results,
                                            campaign::stored_machine_text(environment.variables));
    return kExitOk;
  }
  campaign::check_sort(options.sort, run.planned.plan);
  const Measurement measuring(environment, context, options.output.quiet);
  const campaign::RunEnd end = campaign::run_experiment(request, run, measuring.launching);
  if (end.run_folder.empty()) {
    write_no_result(options.output, kRunCommand, end.exit_status, "interrupted");
    return end.exit_status;
  }
  write_export_files(options.output, [&](const report::ExportFormat& format) {
    return json::whole_text(
        [&](const json::TextSink& sink) { format.of_run(end.results, {}, sink); });
  });
  print_results(options, end, environment);
  const std::vector<std::string> sources = {end.run_folder.string()};
  write_report(
      options.output, [&] { return report::run_content(end.results, sources, {}); }, sources,
      environment);
  if (end.signal) {
    say(environment, "interrupted; continue with: stepbench run --resume " +
                         text::shell_word(end.run_folder.string()));
  }
  return end.exit_status;
}

int execute_run(const RunOptions& options, const Environment& environment) {
  return run_session(kRunCommand, options.output, environment,
                     [&] { return measure_and_print(options, environment); });
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
  add_lock_flags(run, options.request.lock);
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
  run.flag(kRunOptions, "--dry-run", options.output.dry_run, "Print the plan, run nothing");
}

}  // namespace

void add_run(Command& run) {
  RunOptions& options = run.calls(execute_run);
  add_experiment(run, options.request.file, options.script, false)
      .described_as("The experiment, a YAML file; - is standard input. --resume needs none");
  add_which_cases(run, options.request, &options.shard);
  add_how_to_measure(run, options);
  add_the_run(run, options);
  add_format(run, options.output.format, {"table", "json", "markdown", "github"});
  add_export_files(run, options.output);
  add_quiet(run, options.output.quiet);
}

}  // namespace stepbench::cli
