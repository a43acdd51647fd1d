// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/execute_run.h"

#include <filesystem>
#include <optional>
#include <ostream>
#include <set>

#include "harness/base/error.h"
#include "harness/catalogue/json.h"
#include "harness/machine/environment.h"
#include "harness/report/table.h"
#include "harness/run/controller.h"
#include "harness/run/list_agenda.h"
#include "harness/run/reaper.h"
#include "harness/run/resume.h"
#include "harness/run/run_header.h"
#include "harness/run/segments.h"
#include "harness/run/wrap.h"
#include "harness/text/words.h"
#include "tools/stepbench/plan_text.h"
#include "tools/stepbench/planning.h"
#include "tools/stepbench/run_start.h"

namespace stepbench::cli {
namespace {

namespace fs = std::filesystem;

PlanRequest to_request(const RunOptions& options) {
  PlanRequest request{.file = options.file, .set = options.set, .filter = options.filter};
  request.shard = parse_shard(options.shard);
  request.smoke = options.smoke;
  request.max_cases = options.max_cases;
  if (!options.profile.empty()) request.set.push_back("profile.ops=" + options.profile);
  if (options.launches > 0) request.set.push_back("launches=" + std::to_string(options.launches));
  return request;
}

void add_profile(const ResolvedCase& resolved, ListedCase& listed) {
  const std::string engine = resolved.has("profile.ops") ? resolved.text("profile.ops") : "none";
  if (engine == "none") return;
  listed.profile = engine == "kineto" ? Pass::kKineto : Pass::kNative;
  listed.profile_launches = static_cast<int>(resolved.integer("profile.launches"));
}

// A wrapped run is a profiler's already and gets no profiled launches of ours.
std::vector<ListedCase> list_cases(const Plan& plan, bool wrapped) {
  std::vector<ListedCase> cases;
  for (const PlannedCase& planned : plan.cases) {
    const int launches = planned.resolved.has("launches")
                             ? static_cast<int>(planned.resolved.integer("launches"))
                             : 1;
    ListedCase listed{planned.resolved.case_id, launches, planned.skip.has_value()};
    if (!wrapped) add_profile(planned.resolved, listed);
    cases.push_back(std::move(listed));
  }
  return cases;
}

// The table of everything in the run's folder, and where that is.
int report(const fs::path& run_dir, const Environment& environment) {
  const Results results = read_results(run_dir);
  environment.out << render_table(
      results, {.colour = environment.colour, .columns = environment.terminal_columns});
  RunCounts counts;
  for (const Launch& launch : results.launches) {
    switch (launch.row.outcome.kind) {
      case Outcome::Kind::kMeasured:
        ++counts.measured;
        break;
      case Outcome::Kind::kSkipped:
        ++counts.skipped;
        break;
      case Outcome::Kind::kFailed:
        ++counts.failed;
        break;
    }
  }
  environment.out << "\nResults: " << run_dir.string() << '\n' << std::flush;
  if (counts.measured == 0) return kNothingMeasured;
  return counts.failed > 0 ? kSomeFailed : kOk;
}

}  // namespace

int execute_run(const RunOptions& options, const Environment& environment) {
  const std::optional<WorkerProgram> worker =
      options.dry_run && options.worker.empty()
          ? std::nullopt
          : std::optional{find_worker(options.worker, environment.program_dir)};
  const Devices devices = find_devices("/", nvml_device_count);
  Planned planned = make_plan_here(to_request(options), worker, devices, environment);
  Plan& plan = planned.plan;
  keep_cases(plan, options.cases);
  if (plan.cases.empty())
    throw ConfigError(options.file, "no case is left after --filter and --shard");
  if (options.dry_run) {
    environment.out << plan_table(plan, estimate_time(plan, options.results));
    return kOk;
  }

  Interrupts interrupts;
  const HostClock clock;
  become_subreaper();
  Progress progress = make_progress(environment, options.quiet, clock);
  const auto exit_code_of = [](int signal) { return 128 + signal; };
  std::set<std::string> measured_on;
  add_devices(plan, measured_on);
  const auto locks = lock_devices(measured_on, lock_policy(options.no_lock, options.wait_lock),
                                  interrupts, progress);
  if (!locks) return exit_code_of(*interrupts.first());
  sweep_segments_of_the_dead("/dev/shm");

  Fields host = host_environment("/", devices);
  RunRow header = make_run_header({.plan = plan,
                                   .catalogue = planned.catalogue,
                                   .worker = *worker,
                                   .host = host,
                                   .git = git_state(fs::current_path()),
                                   .argv = environment.argv,
                                   .shard = parse_shard(options.shard),
                                   .smoke = options.smoke,
                                   .wrap = options.wrap,
                                   .stepbench_version = STEPBENCH_VERSION,
                                   .started = std::chrono::system_clock::now()});
  Results finished;
  if (!options.resume.empty()) {
    if (!fs::is_directory(options.resume))
      throw ConfigError("--resume", options.resume + " is not a run's folder");
    finished = read_results(fs::path{options.resume});
    for (const std::string& warning : finished.warnings) progress.say("warning: " + warning);
    check_same_experiment(finished, header, plan, planned.catalogue);
  }
  const Pass pass = options.wrap.empty() ? Pass::kTiming : Pass::kWrapped;
  ListAgenda agenda{list_cases(plan, pass == Pass::kWrapped), pass,
                    done_launches(finished, options.retry_failed)};
  const fs::path run_dir = options.resume.empty() ? make_run_dir(options.results, header.run_id)
                                                  : fs::path{options.resume};
  header.run_id = run_id_of(run_dir);
  progress.say(counted(std::ssize(plan.cases), "case") + ", " +
               counted(static_cast<std::int64_t>(agenda.remaining()), "launch") +
               " to do, results in " + run_dir.string());
  for (const std::string& note : plan.notes) progress.say("note: " + note);
  std::vector<std::string> wrap = split_command(options.wrap, "--wrap");
  if (const auto warning = wrap_warning(wrap)) progress.say("warning: " + *warning);
  if (agenda.remaining() > 0) {
    measure({.plan = plan,
             .worker = *worker,
             .wrap = std::move(wrap),
             .run_dir = run_dir,
             .smoke = options.smoke,
             .variables = environment.variables,
             .host = std::move(host),
             .catalogue_digest = catalogue_digest(planned.catalogue),
             .repeat_prefix = repeat_prefix(options),
             .attempts = next_attempts(finished)},
            header, columns_of(plan, planned.catalogue), parse_shard(options.shard), agenda,
            finished, progress, interrupts, clock);
  }
  const int exit_code = report(run_dir, environment);
  if (interrupts.first()) {
    environment.err << "stepbench: interrupted; go on with --resume "
                    << shell_word(run_dir.string()) << '\n';
    return exit_code_of(*interrupts.first());
  }
  return exit_code;
}

}  // namespace stepbench::cli
