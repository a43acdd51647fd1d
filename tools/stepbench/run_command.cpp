// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "harness/base/exit_status.h"
#include "harness/campaign/run_experiment.h"
#include "harness/campaign/session.h"
#include "harness/campaign/time_estimate.h"
#include "harness/report/row_values.h"
#include "harness/report/table.h"
#include "harness/text/printable.h"
#include "tools/stepbench/campaign_context.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/plan_text.h"

namespace stepbench::cli {
namespace {

constexpr const char* kRunExamples =
    R"(Every launch is a fresh worker process; its row is on disk before the next begins.

Examples:
  stepbench run configs/quickstart.yaml                      measure, print a table
  stepbench run sweep.yaml --dry-run                         only say what would be run
  stepbench run sweep.yaml --smoke                           does everything work? 2 steps per case
  stepbench run sweep.yaml --set launches=6 --filter loader.num_workers=4
  stepbench run sweep.yaml --resume results/20260131-120000-sweep
                                                             go on where a run was cut off
  stepbench run train.yaml --profile                         and what did each operation cost?
  stepbench run sweep.yaml --shard 2/4                       the second quarter, on this machine
  stepbench run sweep.yaml --wrap 'nsys profile -o {run_dir}/{case_id}'
  stepbench run mine.yaml --worker build/my-worker           workloads of your own

Exit status: 0 all measured or skipped by rule, 1 some failed, 2 wrong usage or configuration, or a
file that cannot be written, 4 nothing measured, 130 or 143 interrupted (finished rows are kept).)";

struct RunOptions {
  RunRequest request = {};
  std::string shard = {};
  bool dry_run = false;
  bool wait_lock = false;
  bool no_lock = false;
  bool quiet = false;
  std::string sort = {};
};

// A wrong name is found before hours of measuring.
void check_sort(const std::string& sort, const Plan& plan) {
  if (sort.empty()) return;
  std::vector<CaseRow> rows;
  for (const PlannedCase& planned : plan.cases) {
    rows.push_back({.case_id = planned.resolved.case_id,
                    .options = {planned.resolved.options.begin(), planned.resolved.options.end()}});
  }
  sort_rows(rows, sort);
}

int execute(const RunOptions& options, const Environment& environment) {
  RunRequest request = options.request;
  request.shard = parse_shard(options.shard);
  request.lock = lock_policy(options.no_lock, options.wait_lock);
  const CampaignContext context = campaign_context(environment);
  const PlannedRun run = plan_experiment(request, context, !options.dry_run);
  if (options.dry_run) {
    const Plan& plan = run.planned.plan;
    environment.out << printable(plan_table(plan, estimate_time(plan, request.results)),
                                 LineEnds::kKeep);
    return kExitOk;
  }
  check_sort(options.sort, run.planned.plan);
  const HostClock clock;
  Progress progress = make_progress(environment, options.quiet, clock);
  Interrupts interrupts;
  const RunEnd end = run_experiment(request, run, context, progress, interrupts, clock);
  if (end.run_folder.empty()) return end.exit_status;
  environment.out << render_table(end.results, {.colour = environment.colour,
                                                .columns = environment.terminal_columns,
                                                .sort = options.sort})
                  << "\nResults: " << printable(end.run_folder.string()) << '\n'
                  << std::flush;
  if (end.signal)
    environment.err << "stepbench: " << printable(interrupted_text(end.run_folder)) << '\n';
  return end.exit_status;
}

}  // namespace

void add_run(CLI::App& app, const Environment& environment, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  RunRequest& request = options->request;
  CLI::App* run = app.add_subcommand("run", "Measure every case of a YAML file and print a table");
  run->footer(kRunExamples);
  run->add_option("FILE", request.file, "The experiment, as YAML")->required();
  run->add_option("--set", request.set,
                  "KEY=VALUE: overrides an option of the file (not of its sweep)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  run->add_option("--filter", request.filter,
                  "KEY=VALUE: only cases with this value; several must all hold")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  run->add_option("--case", request.cases, "Only cases whose id begins like this")
      ->type_name("ID")
      ->allow_extra_args(false);
  run->add_option("--shard", options->shard, "I/N: the I-th of N parts of the plan")
      ->type_name("I/N");
  run->add_option("--launches", request.launches,
                  "Fresh processes per case, instead of the file's `launches`")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->type_name("N");
  run->add_flag("--smoke", request.smoke,
                "1 launch, 1 warm-up and 2 active steps; rows are marked and never compared");
  run->add_flag("--profile{native}", request.profile,
                "One more launch per case that records each operation; --profile=kineto with "
                "libtorch's own profiler")
      ->check(CLI::IsMember({"native", "kineto"}));
  run->add_flag("--dry-run", options->dry_run, "Print the plan and stop");
  run->add_option("--max-cases", request.max_cases, "Refuse a larger sweep")
      ->capture_default_str()
      ->type_name("N");
  run->add_option("--results", request.results, "Where the run's folder is made")
      ->capture_default_str()
      ->type_name("DIR");
  CLI::Option* resume =
      run->add_option("--resume", request.resume,
                      "Go on in this run's folder: what has a result is not repeated")
          ->type_name("DIR");
  run->add_flag("--retry-failed", request.retry_failed, "With --resume: repeat what failed")
      ->needs(resume);
  run->add_option("--worker", request.worker,
                  "The worker program; default: stepbench-worker beside this program")
      ->type_name("PATH");
  run->add_option(
         "--wrap", request.wrap,
         "Command put before the worker's; {run_dir}, {case_id} and {launch} are filled in")
      ->type_name("COMMAND");
  run->add_option("--sort", options->sort,
                  "Order the rows of the table by an option or column; -NAME: largest first")
      ->type_name("NAME")
      ->allow_extra_args(false);
  CLI::Option* wait = run->add_flag("--wait-lock", options->wait_lock,
                                    "Wait while another run measures on the same device");
  run->add_flag("--no-lock", options->no_lock, "Do not look for other runs on the device")
      ->excludes(wait);
  run->add_flag("--quiet,--no-progress", options->quiet, "No progress on standard error");
  run->callback(
      [options, &environment, &exit_code] { exit_code = execute(*options, environment); });
}

}  // namespace stepbench::cli
