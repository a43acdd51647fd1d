// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/execute_ab.h"

#include <filesystem>
#include <ostream>
#include <random>
#include <set>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/catalogue/json.h"
#include "harness/machine/environment.h"
#include "harness/report/comparison_json.h"
#include "harness/run/controller.h"
#include "harness/run/data_digest.h"
#include "harness/run/reaper.h"
#include "harness/run/resume.h"
#include "harness/run/run_header.h"
#include "harness/run/segments.h"
#include "harness/run/wrap.h"
#include "harness/text/words.h"
#include "tools/stepbench/ab_agenda.h"
#include "tools/stepbench/compare_flags.h"
#include "tools/stepbench/run_start.h"

namespace stepbench::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPrimaryMetrics = 2;  // of a case: step time and peak memory
constexpr const char* kVerdictFile = "verdict.json";

std::string field(const RunRow& row, std::string_view name) {
  const auto found = row.context.find(name);
  return found == row.context.end() ? std::string{} : to_text(found->second);
}

std::uint64_t random_seed() {
  std::random_device device;
  // Kept below 2^53, so that every reader of JSON gives it back.
  return (std::uint64_t{device()} << 21U) ^ device();
}

AbDesign design_for(const AbOptions& options, std::size_t cases, std::uint64_t seed) {
  if (options.pairs > 0) {
    return with_fixed_pairs(cases, static_cast<std::size_t>(options.pairs), seed);
  }
  return with_looks(cases, kPrimaryMetrics * cases, seed);
}

// Everything on which the course of a campaign depends.
void describe_campaign(const AbOptions& options, const AbArms& arms, const Margins& margins,
                       std::uint64_t seed, RunRow& header) {
  header.plan_digest = digest(arms.a.plan.digest + '\n' + arms.b.plan.digest);
  header.context["ab_seed"] = static_cast<std::int64_t>(seed);
  header.context["ab_pairs"] =
      options.pairs > 0 ? std::to_string(options.pairs) : std::string{"looks"};
  header.context["ab_margin_step"] = margins.step;
  header.context["ab_margin_peak_bytes"] =
      margins.peak_bytes ? to_text(Value{*margins.peak_bytes}) : std::string{"auto"};
  for (const AbArm* arm : {&arms.a, &arms.b}) {
    header.context["arm_" + arm->name] = arm->words;
    header.context["arm_" + arm->name + "_worker"] = arm->worker.path.string();
    header.context["arm_" + arm->name + "_build_id"] = arm->worker.build_id;
    header.context["arm_" + arm->name + "_data_digest"] = data_digest(arm->plan, arm->catalogue);
  }
}

void check_same_campaign(const Results& earlier, const RunRow& now, const AbArms& arms) {
  constexpr std::string_view kFields[] = {
      "ab_pairs",       "ab_margin_step", "ab_margin_peak_bytes",
      "arm_a_build_id", "arm_b_build_id", "arm_b_data_digest"};
  for (const RunRow& then : earlier.runs) {
    if (field(then, "ab_seed").empty()) {
      throw ConfigError("--resume", "this folder holds no A/B campaign; `stepbench run` made it");
    }
    for (const std::string_view name : kFields) {
      if (field(then, name) == field(now, name)) continue;
      throw ConfigError("--resume", "this is not the same campaign: " + std::string(name) +
                                        " was `" + field(then, name) + "` and is now `" +
                                        field(now, name) + "`; start a new one without --resume");
    }
  }
  for (const AbArm* arm : {&arms.a, &arms.b}) {
    check_same_experiment(earlier, now, arm->plan, arm->catalogue);
  }
}

std::uint64_t seed_for(const AbOptions& options, const Results& earlier) {
  for (const RunRow& run : earlier.runs) {
    const auto found = run.context.find("ab_seed");
    if (found == run.context.end()) continue;
    const auto* seed = std::get_if<std::int64_t>(&found->second);
    if (seed == nullptr) break;
    if (options.seed && *options.seed != static_cast<std::uint64_t>(*seed)) {
      throw ConfigError("--seed", "the campaign to go on with has seed " + std::to_string(*seed));
    }
    return static_cast<std::uint64_t>(*seed);
  }
  return options.seed.value_or(random_seed());
}

ColumnRow columns_of_both(const AbArms& arms, const fs::path& run_dir) {
  Results a;
  Results b;
  a.columns = columns_of(arms.a.plan, arms.a.catalogue).columns;
  b.columns = columns_of(arms.b.plan, arms.b.catalogue).columns;
  const std::string where = run_dir.string();
  return {common_columns({&a, "arm a of " + where}, {&b, "arm b of " + where})};
}

std::string repeat_prefix(const AbOptions& options, const AbArm& arm) {
  std::string command = "stepbench run " + shell_word(options.file);
  for (const std::string& one : options.set) command += " --set " + shell_word(one);
  for (const std::string& one : arm.set) command += " --set " + shell_word(one);
  return command + " --worker " + shell_word(arm.worker.path.string());
}

RunArm run_arm(const AbOptions& options, const AbArm& arm) {
  return {.name = arm.name,
          .plan = arm.plan,
          .worker = arm.worker,
          .catalogue_digest = catalogue_digest(arm.catalogue),
          .repeat_prefix = repeat_prefix(options, arm)};
}

std::vector<AbSkip> skips_of(const AbArms& arms) {
  std::vector<AbSkip> skips;
  for (const AbArm* arm : {&arms.a, &arms.b}) {
    for (std::size_t i = arms.points.size(); i < arm->plan.cases.size(); ++i) {
      if (!arm->plan.cases[i].skip) continue;
      skips.push_back({.job = {.case_index = i, .arm = arm->name},
                       .case_id = arm->plan.cases[i].resolved.case_id});
    }
  }
  return skips;
}

// As the plan of either arm asks for it; --profile puts it there.
void add_profile(const AbArms& arms, AbAgenda::Setup& setup) {
  if (arms.points.empty()) return;
  const ResolvedCase& first = arms.b.plan.cases.front().resolved;
  const std::string engine = first.has("profile.ops") ? first.text("profile.ops") : "none";
  if (engine == "none") return;
  setup.profile = engine == "kineto" ? Pass::kKineto : Pass::kNative;
  setup.profile_launches = static_cast<int>(first.integer("profile.launches"));
}

AbAgenda::Setup agenda_setup(const AbOptions& options, const AbArms& arms, const Margins& margins,
                             std::uint64_t seed, std::vector<Metric> columns, Progress& progress) {
  AbAgenda::Setup setup{.design = design_for(options, arms.points.size(), seed),
                        .points = arms.points,
                        .skips = skips_of(arms),
                        .columns = std::move(columns),
                        .margins = margins,
                        .say = [&progress](const std::string& text) { progress.say(text); }};
  setup.design.rule.bootstrap = options.bootstrap;
  add_profile(arms, setup);
  for (std::size_t i = 0; i < arms.points.size(); ++i) {
    std::string label = case_label(arms.a.plan, arms.a.plan.cases[i].resolved);
    setup.labels.push_back(label.empty() ? arms.points[i].point_id : std::move(label));
  }
  return setup;
}

void refuse(const AbOptions& options) {
  std::vector<std::string> known = {"missing"};
  known.insert(known.end(), gate_names().begin(), gate_names().end());
  check_allowed(options.allow, known);
  if (options.smoke) {
    throw ConfigError("--smoke",
                      "measures nothing, so that there is nothing to compare; `stepbench run "
                      "FILE --smoke` tells whether everything works");
  }
  if (!options.resume.empty() && !fs::is_directory(options.resume)) {
    throw ConfigError("--resume", options.resume + " is not a run's folder");
  }
}

// What one call of `ab` works with, once both arms are planned.
class Campaign {
 public:
  Campaign(const AbOptions& options, const Environment& environment, const AbArms& arms,
           const Devices& devices, Interrupts& interrupts, Progress& progress, const Clock& clock)
      : options_(options),
        environment_(environment),
        arms_(arms),
        interrupts_(interrupts),
        progress_(progress),
        clock_(clock),
        host_(host_environment("/", devices)),
        margins_(parse_margins(options.margins, margins_of(arms.a.plan))) {
    if (!options.resume.empty()) finished_ = read_results(fs::path{options.resume});
    for (const std::string& warning : finished_.warnings) progress.say("warning: " + warning);
    seed_ = seed_for(options, finished_);
    header_ = make_run_header({.plan = arms.a.plan,
                               .catalogue = arms.a.catalogue,
                               .worker = arms.a.worker,
                               .host = host_,
                               .git = git_state(fs::current_path()),
                               .argv = environment.argv,
                               .stepbench_version = STEPBENCH_VERSION,
                               .started = std::chrono::system_clock::now()});
    describe_campaign(options, arms, margins_, seed_, header_);
    check_same_campaign(finished_, header_, arms);
  }

  [[nodiscard]] int run() {
    const fs::path run_dir = options_.resume.empty()
                                 ? make_run_dir(options_.results, header_.run_id)
                                 : fs::path{options_.resume};
    header_.run_id = run_id_of(run_dir);
    const std::string verdict_file = (run_dir / kVerdictFile).string();
    try {
      const ColumnRow columns = columns_of_both(arms_, run_dir);
      AbAgenda agenda{agenda_setup(options_, arms_, margins_, seed_, columns.columns, progress_),
                      finished_};
      announce(agenda, run_dir);
      measure({.plan = arms_.a.plan,
               .worker = arms_.a.worker,
               .run_dir = run_dir,
               .variables = environment_.variables,
               .host = host_,
               .attempts = next_attempts(finished_),
               .arms = {run_arm(options_, arms_.a), run_arm(options_, arms_.b)}},
              header_, columns, {}, agenda, finished_, progress_, interrupts_, clock_);
      if (interrupts_.first()) return interrupted(run_dir, verdict_file);
      return conclude(agenda, run_dir, verdict_file);
    } catch (const std::exception& error) {
      // An old verdict must not be taken for this one's.
      write_verdict(verdict_file, error_json(kUsage, error.what()));
      throw;
    }
  }

 private:
  void announce(const AbAgenda& agenda, const fs::path& run_dir) {
    std::string looks;
    for (const std::size_t pairs : agenda.campaign().design().looks) {
      looks += (looks.empty() ? "" : ", ") + std::to_string(pairs);
    }
    progress_.say("a: " + arms_.a.words + "\nb: " + arms_.b.words);
    progress_.say(std::to_string(arms_.points.size()) + " cases, a look after " + looks +
                  " pairs, at most " + std::to_string(agenda.remaining()) + " launches, seed " +
                  std::to_string(seed_) + ", results in " + run_dir.string());
    constexpr std::int64_t kLeastPairs = 6;
    if (options_.pairs > 0 && options_.pairs < kLeastPairs) {
      progress_.say(
          "note: fewer than 6 pairs give no interval, so that every case will be "
          "inconclusive; plan 20");
    }
    if (arms_.overridden.empty() && arms_.a.worker.build_id == arms_.b.worker.build_id) {
      progress_.say("note: both arms are the same, an A/A campaign");
    }
    std::set<std::string> said;
    for (const AbArm* arm : {&arms_.a, &arms_.b}) {
      for (const std::string& note : arm->plan.notes) {
        if (said.insert(note).second) progress_.say("note: " + note);
      }
    }
  }

  [[nodiscard]] int interrupted(const fs::path& run_dir, const std::string& verdict_file) {
    const int code = 128 + *interrupts_.first();
    const std::string text = "interrupted; go on with --resume " + shell_word(run_dir.string());
    write_verdict(verdict_file, error_json(code, text));
    write_verdict(options_.verdict_file, error_json(code, text));
    environment_.err << "stepbench: " << text << '\n';
    return code;
  }

  [[nodiscard]] int conclude(const AbAgenda& agenda, const fs::path& run_dir,
                             const std::string& verdict_file) {
    const Comparison comparison =
        ab_comparison(read_results(run_dir),
                      {.campaign = agenda.campaign(),
                       .points = arms_.points,
                       .a = arms_.a.words,
                       .b = arms_.b.words,
                       .where = run_dir.string(),
                       .overridden = arms_.overridden,
                       .warnings = arms_.warnings,
                       .missing = arms_.missing},
                      {.margins = margins_,
                       .allow = options_.allow,
                       .bootstrap = options_.bootstrap,
                       .allow_inconclusive = options_.allow_inconclusive});
    write_verdict(verdict_file, comparison_json(comparison));
    show_verdict(comparison,
                 {options_.format, options_.verdict_file, options_.markdown_file, options_.all},
                 environment_);
    progress_.say("Results: " + run_dir.string());
    return comparison.exit_code;
  }

  const AbOptions& options_;
  const Environment& environment_;
  const AbArms& arms_;
  Interrupts& interrupts_;
  Progress& progress_;
  const Clock& clock_;
  Fields host_;
  Margins margins_;
  Results finished_;
  std::uint64_t seed_ = 0;
  RunRow header_;
};

}  // namespace

int execute_ab(const AbOptions& options, const Environment& environment) {
  try {
    refuse(options);
    const Devices devices = find_devices("/", nvml_device_count);
    const AbArms arms = resolve_arms(options, devices, environment);
    if (arms.points.empty() && arms.missing.empty()) {
      throw ConfigError(options.file, "no case is left after --filter");
    }
    Interrupts interrupts;
    const HostClock clock;
    become_subreaper();
    Progress progress = make_progress(environment, options.quiet, clock);
    std::set<std::string> measured_on;
    add_devices(arms.a.plan, measured_on);
    add_devices(arms.b.plan, measured_on);
    const auto locks = lock_devices(measured_on, lock_policy(options.no_lock, options.wait_lock),
                                    interrupts, progress);
    if (!locks) return 128 + *interrupts.first();
    sweep_segments_of_the_dead("/dev/shm");
    Campaign campaign{options, environment, arms, devices, interrupts, progress, clock};
    return campaign.run();
  } catch (const std::exception& error) {
    write_verdict(options.verdict_file, error_json(kUsage, error.what()));
    throw;
  }
}

}  // namespace stepbench::cli
