// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/examine_machine.h"
#include "harness/campaign/run_ab.h"
#include "harness/campaign/run_experiment.h"
#include "harness/campaign/run_folder.h"
#include "harness/campaign/session.h"
#include "harness/report/plans.h"
#include "harness/run/worker_program.h"
#include "harness/text/printable.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/internal/script_options.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/session.h"

namespace stepbench::cli {
namespace {

constexpr const char* kAbCommand = "stepbench ab";

struct AbOptions {
  campaign::AbRequest request = {};
  ScriptOptions script = {};
  Output output = {};
};

void gate_by_counts(campaign::AbRequest& request) {
  request.gate_counts = true;
  // Counts repeat exactly: unless more are requested, measure one pair, and two profiled launches
  // per arm to verify that they do.
  request.pairs = std::max<std::int64_t>(request.pairs, 1);
  request.profiled = std::max<std::int64_t>(request.profiled, 2);
}

// `output` receives the file for the verdict in the run's folder once there is one. `measuring` is
// created when measuring begins.
int measure_and_report(const AbOptions& options, const Environment& environment,
                       std::optional<Measurement>& measuring, Output& output) {
  campaign::check_request(options.request);
  if (options.request.smoke) {
    throw ConfigError(
        "--smoke",
        "measures nothing to compare; `stepbench run FILE --smoke` checks that everything works");
  }
  campaign::AbRequest request = options.request;
  if (request.counts_decide()) gate_by_counts(request);
  read_experiment(options.script, request);
  const campaign::CampaignContext context = campaign_context(environment);
  campaign::AbArms arms = campaign::resolve_arms(request, context);
  if (!request.gate_counts && campaign::gates_counts(arms.a.plan)) {
    gate_by_counts(request);
    arms = campaign::resolve_arms(request, context);
  }
  for (const campaign::AbArm* arm : {&arms.a, &arms.b}) {
    campaign::refuse_copies(arm->plan, {.ranks = "ab --ranks "}, environment.variables);
  }
  if (output.dry_run) {
    environment.out << report::ab_plan_text(request, arms);
    return kExitOk;
  }
  (void)campaign::plan_ab(request, arms);  // report errors in the request before any notes
  // Notes are not progress: --quiet does not hide them.
  for (const std::string& note : campaign::notes_on(request, arms)) {
    environment.err << "note: " << text::printable(note) << '\n';
  }
  measuring.emplace(environment, context, output.quiet);
  campaign::AbRun run = campaign::run_ab(
      request, arms, measuring->launching, [&](const std::filesystem::path& folder) {
        output.own_verdict = (folder / campaign::kVerdictFile).string();
      });
  if (run.run_folder.empty()) return run.exit_status;
  if (run.signal) {
    const std::string text = campaign::interrupted_text(run.run_folder);
    write_no_result(output, kAbCommand, run.exit_status, text);
    say(environment, text);
    return run.exit_status;
  }
  campaign::quote_machine(environment.variables, {&run.comparison, 1});
  run.comparison.judge_again =
      campaign::resuming_command(environment.argv, request, run.run_folder);
  show_verdict({&run.comparison, 1}, output, environment);
  measuring->progress.print_line("Results: " + run.run_folder.string());
  return run.exit_status;
}

int execute_ab(const AbOptions& options, const Environment& environment) {
  // Signals stay away until a failure is reported, too.
  std::optional<Measurement> measuring;
  Output output = options.output;
  if (output.dry_run) output.verdict.clear();
  return run_session(kAbCommand, output, environment,
                     [&] { return measure_and_report(options, environment, measuring, output); });
}

// Call after the option of the arm's variables, which replaces the whole list.
void add_python_of_arm(Command& ab, const std::string& names, std::vector<std::string>& env,
                       const std::string& arm_label) {
  ab.option_function(
      kArmOptions, names,
      [&env](const std::string& path) {
        env.push_back(std::string(run::kInterpreterVariable) + '=' + run::interpreter_at(path));
      },
      "The Python of " + arm_label + " scripts: an interpreter, or the folder of an environment");
}

void add_arms(Command& ab, campaign::AbRequest& request) {
  ab.option(kArmOptions, "--a PATH", request.a.worker,
            "The worker program of arm A, the base; default: stepbench-worker next to this program")
      .hint_for("--worker")
      .common();
  ab.option(kArmOptions, "--b PATH", request.b.worker,
            "The worker program of arm B, the candidate; default: as for arm A")
      .common();
  ab.option(kArmOptions, "--a-set KEY=VALUE", request.a.set, "An option of arm A").common();
  ab.option(kArmOptions, "--b-set KEY=VALUE", request.b.set, "An option of arm B").common();
  ab.option(kArmOptions, "--a-env NAME=VALUE", request.a.env,
            "An environment variable of arm A's workers");
  ab.option(kArmOptions, "--b-env NAME=VALUE", request.b.env,
            "An environment variable of arm B's workers");
  add_python_of_arm(ab, "--a-python PATH", request.a.env, "arm A's");
  add_python_of_arm(ab, "--b-python PATH", request.b.env, "arm B's");
}

void add_measuring(Command& ab, AbOptions& options) {
  campaign::AbRequest& request = options.request;
  add_which_cases(ab, request, nullptr, "Use this value in both arms instead of the file's");
  add_interpreter(ab, request.set);
  add_ranks(ab, request.set);
  ab.option(kMeasureOptions, "--pairs N", request.pairs,
            "Measure N pairs of every case and decide once, instead of after 10, 20 and 40")
      .whole_number(1, 10'000)
      .common();
  add_seed(ab, request.seed, "a new one, which is recorded");
  ab.option(kMeasureOptions, "--profile N", request.profiled,
            "Profile each changed case with N launches per arm, to name the operations that "
            "changed; three or more also compare their times")
      .with_value_when_bare("1")
      .whole_number(1, 100);
  add_lock_flags(ab, request.lock);
  ab.flag(kRunOptions, "--dry-run", options.output.dry_run,
          "Print the pairs, launches and time; measure nothing");
  ab.flag("", "--smoke", request.smoke, "Refused: it measures nothing");
  add_results(ab, request.results, "Parent folder of the run's folder");
  add_resume(ab, request.resume);
  add_labels(ab, request.labels);
}

}  // namespace

void add_ab(Command& ab) {
  AbOptions& options = ab.calls(execute_ab);
  add_experiment(ab, options.request.file, options.script);
  add_arms(ab, options.request);
  add_measuring(ab, options);
  add_verdict_rule(ab, options.request, "--allow WHAT",
                   "`missing`: cases that only one arm can measure. `load`, `steal`, `throttling`, "
                   "`clocks`: where the machine may have favoured an arm, only warn");
  add_verdict_output(ab, options.output);
  add_quiet(ab, options.output.quiet);
}

}  // namespace stepbench::cli
