// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "harness/base/exit_status.h"
#include "harness/campaign/planning.h"
#include "harness/campaign/run_request.h"
#include "harness/text/printable.h"
#include "tools/stepbench/campaign_context.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/plan_power.h"
#include "tools/stepbench/plan_text.h"
#include "tools/stepbench/standard_input.h"

namespace stepbench::cli {
namespace {

constexpr const char* kPlanExamples =
    R"(Nothing is run: this is what `stepbench run` with the same options would measure.

Examples:
  stepbench plan configs/quickstart.yaml
  stepbench plan sweep.yaml --set loader.batch_size=32 --filter num_workers=4,8
  stepbench plan train.yaml --sweep model.precision=fp32,bf16 --sweep lr=0.1,0.2
  stepbench plan - < sweep.yaml                                paths are seen from this folder
  stepbench plan sweep.yaml --shard 2/4                        the second of four machines
  stepbench plan mine.yaml --worker build/my-worker            workloads of your own
  stepbench plan sweep.yaml --format json | jq -r '.cases[].case_id'

The id of a case depends on nothing but the options that make it what it is: not on paths, limits,
launches, schedule or the order of keys. `-` in the table: the option has no meaning in that case.)";

struct PlanCommandOptions {
  std::string file;
  std::vector<std::string> set;
  std::vector<std::string> sweep;
  std::vector<std::string> filter;
  std::string shard;
  bool smoke = false;
  std::int64_t max_cases = 100'000;
  std::string worker;
  std::string format = "table";
  std::string results = "results";
};

void add_options(CLI::App& command, PlanCommandOptions& options) {
  add_experiment(command, options.file);
  add_set(command, options.set);
  add_sweep(command, options.sweep);
  add_filter(command, options.filter);
  add_shard(command, options.shard);
  add_max_cases(command, options.max_cases);
  command
      .add_flag("--smoke", options.smoke, "As `run --smoke`: 1 launch, 1 warm-up, 2 active steps")
      ->group(kMeasureOptions);
  add_worker(command, options.worker);
  add_results(command, options.results, "Folder of earlier runs, by which the time is estimated");
  add_format(command, options.format, {"table", "json"});
}

int show_plan(const PlanCommandOptions& options, const Environment& environment) {
  PlanRequest request{.file = options.file,
                      .text = text_if_standard_input(options.file),
                      .set = options.set,
                      .sweep = options.sweep,
                      .filter = options.filter,
                      .shard = parse_shard(options.shard),
                      .smoke = options.smoke,
                      .max_cases = options.max_cases};
  const auto worker = options.worker.empty()
                          ? std::nullopt
                          : std::optional{find_worker(options.worker, environment.program_dir)};
  const Planned planned = make_plan_here(std::move(request), worker, campaign_context(environment));
  const TimeEstimate estimate = estimate_time(planned.plan, options.results);
  environment.out << (options.format == "json"
                          ? plan_json(planned.plan, estimate)
                          : printable(plan_table(planned.plan, estimate), LineEnds::kKeep));
  if (options.format != "json" && !options.smoke) {
    environment.out << power_text(planned.plan, options.results);
  }
  return kExitOk;
}

}  // namespace

void add_plan(CLI::App& app, const Environment& environment, int& exit_code) {
  CLI::App* command = app.add_subcommand("plan", "Show the cases of an experiment; run nothing");
  auto options = std::make_shared<PlanCommandOptions>();
  add_options(*command, *options);
  command->footer(kPlanExamples);
  command->callback(
      [options, &environment, &exit_code] { exit_code = show_plan(*options, environment); });
}

}  // namespace stepbench::cli
