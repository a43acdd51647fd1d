// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/run_ab.h"
#include "harness/campaign/run_folder.h"
#include "harness/campaign/run_request.h"
#include "harness/campaign/session.h"
#include "harness/campaign/verdict_options.h"
#include "harness/report/comparison_json.h"
#include "harness/report/plan_text.h"
#include "harness/run/interpreter.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/campaign_context.h"
#include "tools/stepbench/command_line.h"
#include "tools/stepbench/detectable_change.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/output_files.h"
#include "tools/stepbench/script_options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kAbExamples =
    R"(Two arms, measured in turns: blocks of ABBA or BAAB in random order, a fresh process per launch, all
cases in each block. The rule looks after 10, 20 and 40 pairs; a case that is decided is not measured
further. --pairs fixes their number instead. Every launch is on disk before the next begins.

Examples:
  stepbench ab train.yaml --a old/stepbench-worker --b new/stepbench-worker
  stepbench ab train.yaml --b-set optimizer.implementation=fused
  stepbench ab train.yaml --b-env OMP_NUM_THREADS=1 --pairs 20
  stepbench ab train.py --a-python .venv-2.10 --b-python .venv-2.11 -- --batch-size 64
                                                        a script with two versions of torch
  stepbench ab train.yaml --b new/stepbench-worker --margin step=2% --format markdown
  stepbench ab train.yaml --b new/stepbench-worker --metric step_p99,peak_bytes
  stepbench ab train.yaml --b new/stepbench-worker --gate counts     one pair; operations decide, not times
  stepbench ab train.yaml --b new/stepbench-worker --dry-run         what would be measured, how long
  stepbench ab train.yaml --b new/stepbench-worker --resume results/20260131-120000-train
                                                        resume an interrupted campaign
  stepbench ab train.yaml --b new/stepbench-worker --resume results/20260131-120000-train --allow load
                                                        judge the same launches again, measure nothing
  stepbench ab train.yaml --b new/stepbench-worker; jq .exit_code results/*/verdict.json

Exit status: 0 ok or better, 1 a confirmed regression, 2 wrong usage or configuration, 3 inconclusive
(0 with --allow-inconclusive), 4 no data or an invalid environment, 129, 130 or 143 interrupted. A make
recipe turns every failure into 2: read exit_code from verdict.json in the run's folder there.)";

struct AbOptions {
  campaign::AbRequest request = {};
  ScriptOptions script = {};
  VerdictOutput output = {};
  bool smoke = false;
  bool dry_run = false;
  LockFlags lock = {};
  bool quiet = false;
  std::optional<bool> gate_counts = {};  // nullopt: as configured in the file
};

void refuse_smoke(const AbOptions& options) {
  if (!options.smoke) return;
  throw ConfigError(
      "--smoke",
      "measures nothing to compare; `stepbench run FILE --smoke` checks that everything works");
}

// Command line that resumes this campaign; once the campaign has ended it only judges.
std::string judge_again(const std::vector<std::string>& argv, const campaign::ArmsRequest& arms,
                        const std::filesystem::path& run_folder) {
  const std::string resume = " --resume " + text::shell_word(run_folder.string());
  std::string command = "stepbench";
  bool of_script = false;
  for (std::size_t i = 1; i < argv.size(); ++i) {
    if (argv[i] == "--" && !of_script) {
      of_script = true;
      command += resume;
    }
    const bool has_folder = !of_script && (argv[i] == "--resume" || argv[i] == "--results");
    if (has_folder) ++i;
    if (has_folder ||
        (!of_script && (argv[i].starts_with("--resume=") || argv[i].starts_with("--results=")))) {
      continue;
    }
    const bool is_file = argv[i] == arms.file;
    command += ' ' + text::shell_word(is_file ? campaign::readable_again(
                                                    arms.file, arms.text.value_or(""), run_folder)
                                              : argv[i]);
  }
  return of_script ? command : command + resume;
}

void gate_by(bool counts, campaign::AbRequest& request) {
  request.gate_counts = counts;
  if (!counts) return;
  // Counts repeat exactly: unless more are requested, measure one pair, and two profiled launches
  // per arm to verify that they do.
  request.pairs = std::max<std::int64_t>(request.pairs, 1);
  request.arms.profile = std::max<std::int64_t>(request.arms.profile, 2);
}

// `verdict_files`: all files for the verdict of this call; the run's own is inserted first once its
// folder exists. `interrupts` is created when measuring begins.
int measure_and_report(const AbOptions& options, const Environment& environment,
                       std::optional<run::Interrupts>& interrupts,
                       std::vector<std::string>& verdict_files) {
  campaign::check_request(options.request);
  refuse_smoke(options);
  campaign::AbRequest request = options.request;
  request.lock = campaign::lock_policy(options.lock.none, options.lock.wait);
  if (options.gate_counts) gate_by(*options.gate_counts, request);
  request.arms.text = experiment_text(options.script, request.arms.file);
  const campaign::CampaignContext context = campaign_context(environment);
  campaign::AbArms arms = campaign::resolve_arms(request.arms, context);
  if (!options.gate_counts && campaign::gates_counts(arms.a.plan)) {
    gate_by(true, request);
    arms = campaign::resolve_arms(request.arms, context);
  }
  for (const campaign::AbArm* arm : {&arms.a, &arms.b}) {
    campaign::refuse_copies(arm->plan, {.ranks = "ab --ranks "}, environment.variables);
  }
  if (options.dry_run) {
    environment.out << report::ab_plan_text(request, arms);
    return kExitOk;
  }
  (void)campaign::plan_ab(request, arms);  // report errors in the request before any notes
  // Notes are not progress: --quiet does not hide them.
  for (const std::string& note : campaign::notes_on(request, arms)) {
    environment.err << "note: " << text::printable(note) << '\n';
  }
  const HostClock clock;
  run::Progress progress = make_progress(environment, options.quiet, clock);
  interrupts.emplace();
  campaign::AbRun run = campaign::run_ab(
      request, arms, context, progress, *interrupts, clock,
      [&](const std::filesystem::path& folder) {
        verdict_files.insert(verdict_files.begin(), (folder / campaign::kVerdictFile).string());
      });
  if (run.run_folder.empty()) return run.exit_status;
  if (run.signal) {
    const std::string text = campaign::interrupted_text(run.run_folder);
    for (const std::string& file : verdict_files) {
      write_verdict(file, report::error_json(run.exit_status, text));
    }
    write_error_export_files(options.output.exports, "stepbench ab", text, run.exit_status);
    environment.err << "stepbench: " << text::printable(text) << '\n';
    return run.exit_status;
  }
  quote_machine(environment, {&run.comparison, 1});
  run.comparison.judge_again = judge_again(environment.argv, request.arms, run.run_folder);
  write_verdict(verdict_files.front(), report::comparison_json(run.comparison));
  show_verdict({&run.comparison, 1}, options.output, environment);
  progress.print_line("Results: " + run.run_folder.string());
  return run.exit_status;
}

int execute_ab(const AbOptions& options, const Environment& environment) {
  std::optional<run::Interrupts> interrupts;
  std::vector<std::string> verdict_files;
  if (!options.dry_run) verdict_files.push_back(options.output.verdict_file);
  const auto write = [](const auto& write_it) {
    try {
      write_it();
    } catch (const Error&) {
      return;  // only the first failure is reported
    }
  };
  const std::string command = "stepbench ab";
  return run_session(
      command, options.output.exports, environment,
      [&] { return measure_and_report(options, environment, interrupts, verdict_files); },
      [&](const Failure& failure) {
        for (const std::string& file : verdict_files) {
          write(
              [&] { write_verdict(file, report::error_json(failure.exit_status, failure.text)); });
        }
        write([&] {
          write_error_export_files(options.output.exports, command, failure.text,
                                   failure.exit_status);
        });
      });
}

// Call after the option of the arm's variables, which replaces the whole list.
void add_python_of_arm(Command& ab, const std::string& names, std::vector<std::string>& env,
                       const std::string& arm_label) {
  ab.option_function(
      kArmOptions, names,
      [&env](const std::string& path) {
        env.push_back(std::string(run::kInterpreterVariable) + '=' + interpreter_at(path));
      },
      "The Python of " + arm_label + " scripts: an interpreter, or the folder of an environment");
}

void add_arms(Command& ab, campaign::ArmsRequest& options) {
  ab.option(kArmOptions, "--a PATH", options.a,
            "The worker program of arm A, the base; default: stepbench-worker next to this program")
      .hint_for("--worker")
      .common();
  ab.option(kArmOptions, "--b PATH", options.b,
            "The worker program of arm B, the candidate; default: as for arm A")
      .common();
  ab.repeated(kArmOptions, "--a-set KEY=VALUE", options.a_set, "An option of arm A").common();
  ab.repeated(kArmOptions, "--b-set KEY=VALUE", options.b_set, "An option of arm B").common();
  ab.repeated(kArmOptions, "--a-env NAME=VALUE", options.a_env,
              "An environment variable of arm A's workers");
  ab.repeated(kArmOptions, "--b-env NAME=VALUE", options.b_env,
              "An environment variable of arm B's workers");
  add_python_of_arm(ab, "--a-python PATH", options.a_env, "arm A's");
  add_python_of_arm(ab, "--b-python PATH", options.b_env, "arm B's");
}

void add_measuring(Command& ab, AbOptions& options) {
  add_set(ab, options.request.arms.set, "Use this value in both arms instead of the file's");
  add_interpreter(ab, options.request.arms.set);
  add_ranks(ab, options.request.arms.set);
  add_sweep(ab, options.request.arms.sweep);
  add_filter(ab, options.request.arms.filter);
  add_cases(ab, options.request.arms.cases);
  add_max_cases(ab, options.request.arms.max_cases);
  ab.option(kMeasureOptions, "--pairs N", options.request.pairs,
            "Measure N pairs of every case and decide once, instead of after 10, 20 and 40")
      .whole_number(1, 10'000)
      .common();
  ab.option(kMeasureOptions, "--seed N", options.request.seed,
            "Seed of the random order of the launches; default: a new one, which is recorded")
      .whole_number(0, std::int64_t{1} << 53U);
  ab.option(kMeasureOptions, "--profile N", options.request.arms.profile,
            "Profile each changed case with N launches per arm, to name the operations that "
            "changed; three or more also compare their times")
      .with_value_when_bare("1")
      .whole_number(1, 100);
  add_lock_flags(ab, options.lock);
  ab.flag(kRunOptions, "--dry-run", options.dry_run,
          "Print the pairs, launches and time; measure nothing");
  ab.flag("", "--smoke", options.smoke, "Refused: it measures nothing");
  add_results(ab, options.request.results, "Parent folder of the run's folder");
  add_resume(ab, options.request.resume);
  add_labels(ab, options.request.labels);
}

void add_rule(Command& ab, campaign::AbRequest& options, std::optional<bool>& gate_counts) {
  add_metric(ab, options.metrics);
  add_margin(ab, options.margins);
  ab.repeated(kVerdictOptions, "--allow WHAT", options.allow,
              "`missing`: cases that only one arm can measure. `load`, `steal`, `throttling`, "
              "`clocks`: where the machine may have favoured an arm, only warn");
  add_gate(ab, gate_counts);
  add_allow_inconclusive(ab, options.allow_inconclusive);
}

}  // namespace

void add_ab(Command& ab) {
  ab.footer = kAbExamples;
  AbOptions& options = ab.calls(execute_ab);
  add_experiment(ab, options.request.arms.file);
  add_script(ab, options.script);
  require_experiment(ab, options.script, options.request.arms.file);
  add_arms(ab, options.request.arms);
  add_measuring(ab, options);
  add_rule(ab, options.request, options.gate_counts);
  add_verdict_output(ab, options.output);
  add_quiet(ab, options.quiet);
}

}  // namespace stepbench::cli
