// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/run_ab.h"
#include "harness/campaign/session.h"
#include "harness/report/comparison_json.h"
#include "harness/text/printable.h"
#include "tools/stepbench/campaign_context.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/standard_input.h"
#include "tools/stepbench/verdict_output.h"

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
  stepbench ab train.yaml --b new/stepbench-worker --margin step=2% --format markdown
  stepbench ab train.yaml --b new/stepbench-worker --resume results/20260131-120000-train
  stepbench ab train.yaml --b new/stepbench-worker; jq .exit_code results/*/verdict.json

Exit status: 0 ok or better, 1 a confirmed regression, 2 wrong usage or configuration, 3 inconclusive
(0 with --allow-inconclusive), 4 no data or an invalid environment, 130 or 143 interrupted. A make
recipe turns every failure into 2: read exit_code from verdict.json in the run's folder there.)";

constexpr const char* kVerdictFile = "verdict.json";

struct AbOptions {
  AbRequest request = {};
  VerdictOutput output = {};
  bool smoke = false;
  bool wait_lock = false;
  bool no_lock = false;
  bool quiet = false;
};

void refuse_smoke(const AbOptions& options) {
  if (!options.smoke) return;
  throw ConfigError("--smoke",
                    "measures nothing, so that there is nothing to compare; `stepbench run FILE "
                    "--smoke` tells whether everything works");
}

// `verdict_files`: all that are to hold this call's verdict; the run's own comes first as soon as
// its folder is there. `interrupts` is made when measuring begins.
int measure_and_tell(const AbOptions& options, const Environment& environment,
                     std::optional<Interrupts>& interrupts,
                     std::vector<std::string>& verdict_files) {
  check_request(options.request);
  refuse_smoke(options);
  AbRequest request = options.request;
  request.lock = lock_policy(options.no_lock, options.wait_lock);
  request.arms.text = text_if_standard_input(request.arms.file);
  const CampaignContext context = campaign_context(environment);
  const AbArms arms = resolve_arms(request.arms, context);
  const HostClock clock;
  Progress progress = make_progress(environment, options.quiet, clock);
  interrupts.emplace();
  const AbRun run =
      run_ab(request, arms, context, progress, *interrupts, clock,
             [&](const std::filesystem::path& folder) {
               verdict_files.insert(verdict_files.begin(), (folder / kVerdictFile).string());
             });
  if (run.run_folder.empty()) return run.exit_status;
  if (run.signal) {
    const std::string text = interrupted_text(run.run_folder);
    for (const std::string& file : verdict_files) {
      write_verdict(file, error_json(run.exit_status, text));
    }
    environment.err << "stepbench: " << printable(text) << '\n';
    return run.exit_status;
  }
  write_verdict(verdict_files.front(), comparison_json(run.comparison));
  show_verdict(run.comparison, options.output, environment);
  progress.say("Results: " + run.run_folder.string());
  return run.exit_status;
}

int execute(const AbOptions& options, const Environment& environment) {
  std::optional<Interrupts> interrupts;
  std::vector<std::string> verdict_files = {options.output.verdict_file};
  try {
    return measure_and_tell(options, environment, interrupts, verdict_files);
  } catch (const std::exception& error) {
    // An old verdict must not be taken for this one's.
    const Failure failure = failure_of(error, "stepbench ab");
    for (const std::string& file : verdict_files) {
      try {
        write_verdict(file, error_json(failure.exit_status, failure.text));
      } catch (const Error&) {
        continue;  // the first failure is the one to tell
      }
    }
    throw;
  }
}

void add_arms(CLI::App& ab, ArmsRequest& options) {
  const auto setting = [&](const char* flag, std::vector<std::string>& to, const char* doc) {
    ab.add_option(flag, to, doc)->type_name("KEY=VALUE")->allow_extra_args(false);
  };
  ab.add_option("--a", options.a, "The worker program of arm A, the base")->type_name("PATH");
  ab.add_option("--b", options.b, "The worker program of arm B, the candidate")->type_name("PATH");
  setting("--a-set", options.a_set, "An option of arm A");
  setting("--b-set", options.b_set, "An option of arm B");
  setting("--a-env", options.a_env, "An environment variable of arm A's workers");
  setting("--b-env", options.b_env, "An environment variable of arm B's workers");
  setting("--set", options.set, "An option of both arms, instead of the file's");
  ab.add_option("--sweep", options.sweep, kSweepHelp)
      ->type_name("KEY=V1,V2")
      ->allow_extra_args(false);
  setting("--filter", options.filter, "Only cases with this value; several must all hold");
}

void add_rule(CLI::App& ab, AbRequest& options) {
  ab.add_option("--case", options.arms.cases, "Only cases whose id begins like this")
      ->type_name("ID")
      ->allow_extra_args(false);
  ab.add_option("--pairs", options.pairs,
                "Measure so many pairs of every case and look once, instead of at 10, 20 and 40")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10'000}))
      ->type_name("N");
  ab.add_option_function<std::uint64_t>(
        "--seed", [&options](const std::uint64_t& seed) { options.seed = seed; },
        "Of the order of the launches; default: a new one, which is recorded")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 53U))
      ->type_name("N");
  ab.add_option("--margin", options.margins,
                "The change that does not matter. Default: step=1%, and for peak_bytes 1% where "
                "launches differ among themselves, else 0")
      ->type_name("NAME=SHARE")
      ->allow_extra_args(false);
  ab.add_option(
        "--allow", options.allow,
        "`missing`: cases that only one arm can measure. `noise`, `drift`, `load`, `steal`, "
        "`throttling`, `clocks`: gates that are to warn and not to make the verdict invalid")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  ab.add_option("--profile", options.arms.profile,
                "Profile each changed case with so many launches per arm, to name the operations "
                "that changed; three or more also tell their times")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100}))
      ->expected(0, 1)
      ->default_str("1")
      ->type_name("N");
  ab.add_flag("--bootstrap", options.bootstrap,
              "Also a bootstrap interval of the ratio of medians, in the JSON form");
  ab.add_flag("--allow-inconclusive", options.allow_inconclusive,
              "Exit 0 when nothing can be said");
}

void add_run_flags(CLI::App& ab, AbOptions& options) {
  ab.add_option("--results", options.request.results, "Where the run's folder is made")
      ->capture_default_str()
      ->type_name("DIR");
  ab.add_option("--resume", options.request.resume, "Go on with the campaign in this folder")
      ->type_name("DIR");
  ab.add_option("--max-cases", options.request.arms.max_cases, "Refuse a larger sweep")
      ->capture_default_str()
      ->type_name("N");
  CLI::Option* wait = ab.add_flag("--wait-lock", options.wait_lock,
                                  "Wait while another run measures on the same device");
  ab.add_flag("--no-lock", options.no_lock, "Do not look for other runs on the device")
      ->excludes(wait);
  ab.add_flag("--quiet,--no-progress", options.quiet, "No progress on standard error");
  ab.add_flag("--smoke", options.smoke, "Refused: it measures nothing");
}

void add_output(CLI::App& ab, VerdictOutput& options) {
  ab.add_flag("--all", options.all, "Also print the rows that are ok");
  ab.add_option("--format", options.format, "What is printed")
      ->check(CLI::IsMember({"table", "markdown", "json"}))
      ->capture_default_str();
  ab.add_option("--verdict", options.verdict_file,
                "Also write the JSON form here; verdict.json in the run's folder is always written")
      ->type_name("FILE");
  ab.add_option("--markdown", options.markdown_file, "Also write the Markdown form here")
      ->type_name("FILE");
}

}  // namespace

void add_ab(CLI::App& app, const Environment& environment, int& exit_code) {
  auto options = std::make_shared<AbOptions>();
  CLI::App* ab = app.add_subcommand(
      "ab", "Is arm B slower or faster than arm A? Measures both in turns and gives a verdict");
  ab->footer(kAbExamples);
  ab->add_option("FILE", options->request.arms.file,
                 "The experiment, as YAML; `-`: from standard input")
      ->required();
  add_arms(*ab, options->request.arms);
  add_rule(*ab, options->request);
  add_run_flags(*ab, *options);
  add_output(*ab, options->output);
  ab->callback([options, &environment, &exit_code] { exit_code = execute(*options, environment); });
}

}  // namespace stepbench::cli
