// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "harness/base/exit_status.h"
#include "harness/campaign/examine_machine.h"
#include "harness/campaign/run_experiment.h"
#include "harness/report/plans.h"
#include "harness/text/printable.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/internal/script_options.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/session.h"

namespace stepbench::cli {
namespace {

struct PlanCommandOptions {
  campaign::RunRequest request = {};
  ScriptOptions script = {};
  std::string shard = {};
  bool probe = false;
  Output output = {};
};

int show_plan(const PlanCommandOptions& options, const Environment& environment) {
  campaign::RunRequest request = options.request;
  read_experiment(options.script, request);
  request.shard = campaign::parse_shard(options.shard);
  const campaign::CampaignContext context = campaign_context(environment);
  const plan::Plan plan = campaign::plan_experiment(request, context, false).planned.plan;
  std::optional<campaign::Probe> probe;
  if (options.probe) {
    Measurement measuring(environment, context, options.output.quiet);
    probe = campaign::probe_cases(request, measuring.launching);
    measuring.progress.end();
    if (probe->signal) {
      say(environment, "interrupted; the probe is not complete");
      return probe->exit_status;
    }
  }
  const campaign::TimeEstimate estimate = probe ? campaign::estimate_time(plan, probe->costs)
                                                : campaign::estimate_time(plan, request.results);
  const campaign::Probe* probed = probe ? &*probe : nullptr;
  environment.out << (options.output.format == "json"
                          ? report::plan_json(plan, estimate, probed)
                          : text::printable(report::plan_table(plan, estimate, probed),
                                            text::LineEnds::kKeep));
  if (options.output.format != "json" && !request.smoke) {
    if (const std::string night = campaign::night_text(estimate); !night.empty())
      environment.out << night << '\n';
    environment.out << report::power_text(plan, request.results,
                                          campaign::stored_machine_text(environment.variables))
                    << report::noise_plan_text(plan, request.results);
  }
  return probe ? probe->exit_status : kExitOk;
}

}  // namespace

void add_plan(Command& command) {
  PlanCommandOptions& options = command.calls(show_plan);
  campaign::RunRequest& request = options.request;
  add_experiment(command, request.file, options.script);
  add_which_cases(command, request, &options.shard);
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
  add_lock_flags(command, request.lock);
  add_format(command, options.output.format, {"table", "json"});
  add_quiet(command, options.output.quiet);
}

}  // namespace stepbench::cli
