// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <ostream>
#include <string>

#include "harness/base/exit_status.h"
#include "harness/campaign/plan_forecast.h"
#include "harness/campaign/probe.h"
#include "harness/report/plan_text.h"
#include "harness/text/printable.h"
#include "tools/stepbench/campaign_context.h"
#include "tools/stepbench/command_line.h"
#include "tools/stepbench/detectable_change.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/script_options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kPlanExamples =
    R"(This is what `stepbench run` with the same options would measure. Nothing is run without --probe.

Examples:
  stepbench plan configs/quickstart.yaml
  stepbench plan sweep.yaml --set loader.batch_size=32 --filter num_workers=4,8
  stepbench plan train.yaml --sweep model.precision=fp32,bf16 --sweep lr=0.1,0.2
  stepbench plan - < sweep.yaml                                paths are relative to this folder
  stepbench plan sweep.yaml --probe                            can it run, and for how long?
  stepbench plan sweep.yaml --shard 2/4                        the second of four machines
  stepbench plan mine.yaml --worker build/my-worker            workloads of your own
  stepbench plan sweep.yaml --format json | jq -r '.cases[].case_id'

The id of a case depends on nothing but the options that make it what it is: not on paths, limits,
launches, schedule or the order of keys. `-` in the table: the option has no meaning in that case.

Exit status: 0, 2 wrong usage or configuration; with --probe 1 some cases failed, 4 all did, 129, 130 or 143
interrupted.)";

struct PlanCommandOptions {
  campaign::RunRequest request = {};
  ScriptOptions script = {};
  std::string shard = {};
  bool probe = false;
  LockFlags lock = {};
  bool quiet = false;
  std::string format = "table";
};

void add_options(Command& command, PlanCommandOptions& options) {
  campaign::RunRequest& request = options.request;
  add_experiment(command, request.file);
  add_script(command, options.script);
  require_experiment(command, options.script, request.file);
  add_set(command, request.set);
  add_sweep(command, request.sweep);
  add_filter(command, request.filter);
  add_cases(command, request.cases);
  add_shard(command, options.shard);
  add_max_cases(command, request.max_cases);
  add_launches(command, request.launches);
  command.flag(kMeasureOptions, "--smoke", request.smoke,
               "As `run --smoke`: 1 launch, 1 warm-up, 2 active steps");
  add_worker(command, request.worker);
  add_interpreter(command, request.set);
  add_ranks(command, request.set);
  add_results(command, request.results, "Folder of earlier runs, by which the time is estimated");
  command
      .flag(kRunOptions, "--probe", options.probe,
            "Run each case once for 3 steps, keep no results, and say what fails and about how "
            "long the whole would take")
      .common();
  add_lock_flags(command, options.lock);
  add_format(command, options.format, {"table", "json"});
  add_quiet(command, options.quiet);
}

int show_plan(const PlanCommandOptions& options, const Environment& environment) {
  campaign::RunRequest request = options.request;
  request.text = experiment_text(options.script, request.file);
  request.shard = campaign::parse_shard(options.shard);
  request.lock = campaign::lock_policy(options.lock.none, options.lock.wait);
  const campaign::CampaignContext context = campaign_context(environment);
  const plan::Plan plan = campaign::plan_experiment(request, context, false).planned.plan;
  std::optional<campaign::Probe> probe;
  if (options.probe) {
    const HostClock clock;
    run::Progress progress = make_progress(environment, options.quiet, clock);
    run::Interrupts interrupts;
    probe = campaign::probe_cases(request, context, progress, interrupts, clock);
    progress.end();
    if (probe->signal) {
      environment.err << "stepbench: interrupted; the probe is not complete\n";
      return probe->exit_status;
    }
  }
  const campaign::TimeEstimate estimate = probe ? campaign::estimate_time(plan, probe->costs)
                                                : campaign::estimate_time(plan, request.results);
  const campaign::Probe* probed = probe ? &*probe : nullptr;
  environment.out << (options.format == "json"
                          ? report::plan_json(plan, estimate, probed)
                          : text::printable(report::plan_table(plan, estimate, probed),
                                            text::LineEnds::kKeep));
  if (options.format != "json" && !request.smoke) {
    if (const std::string night = campaign::night_text(estimate); !night.empty())
      environment.out << night << '\n';
    environment.out << power_text(plan, request.results, stored_machine_text(environment))
                    << noise_text(plan, request.results);
  }
  return probe ? probe->exit_status : kExitOk;
}

}  // namespace

void add_plan(Command& command) {
  command.footer = kPlanExamples;
  PlanCommandOptions& options = command.calls(show_plan);
  add_options(command, options);
}

}  // namespace stepbench::cli
