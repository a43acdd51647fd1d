// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <filesystem>
#include <optional>
#include <vector>

#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/campaign/examine_machine.h"
#include "harness/catalogue/launchers.h"
#include "harness/machine/doctor.h"
#include "harness/machine/environment.h"
#include "harness/report/plans.h"
#include "harness/run/worker_program.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/session.h"

namespace stepbench::cli {
namespace {

// Returns the exit status: 0, or kExitNothingMeasured if the process group cannot be formed.
int examine_ranks_and_report(const campaign::RanksRequest& request, const std::string& format,
                             const Environment& environment) {
  const HostClock clock;
  run::Interrupts interrupts;
  const campaign::RanksSeen seen =
      campaign::examine_ranks(request, campaign_context(environment), interrupts, clock);
  if (seen.interrupted) return exit_status_of_signal(interrupts.first().value_or(SIGINT));
  const std::vector<Finding> findings = campaign::diagnose_ranks(seen);
  if (format == "json") {
    environment.out << report::launcher_json(request, seen, findings);
  } else {
    environment.out << render(report::launcher_document(request, seen, findings), environment);
  }
  return seen.failed.empty() ? kExitOk : kExitNothingMeasured;
}

struct DoctorOptions {
  std::string format = "text";
  double seconds = 5;
  double measure = 0;  // seconds; 0: not requested
  std::string root = "/";
  campaign::RanksRequest ranks = {.ranks = 0};  // 0: examine a single machine
  campaign::LockPolicy lock = campaign::LockPolicy::kRefuse;
};

// Shows a line on a terminal while waiting; removed as soon as there is output.
class Waiting {
 public:
  Waiting(const Environment& environment, double seconds) : environment_(environment) {
    if (!environment_.err_is_terminal) return;
    environment_.err << "timing the same work for " << text::seconds_text(seconds) << " ..."
                     << std::flush;
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    if (environment_.err_is_terminal) environment_.err << "\r\x1b[K" << std::flush;
  }

 private:
  const Environment& environment_;
};

campaign::MachineRun measure(const DoctorOptions& options, const Fields& identity,
                             const Environment& environment) {
  environment.err << formatted("measuring three small cases in turns for {} ...\n",
                               text::seconds_text(options.measure))
                  << std::flush;
  const campaign::CampaignContext context = campaign_context(environment);
  const Measurement measuring(environment, context, true);
  campaign::RunRequest request;
  request.lock = options.lock;
  campaign::MachineRun run = campaign::measure_machine(campaign::machine_cases(), options.measure,
                                                       std::move(request), measuring.launching);
  run.noise.machine = identity;
  return run;
}

// Prints the measurement before saving it, so that a full disk loses nothing.
int keep(const campaign::MachineRun& run, const std::filesystem::path& place,
         const Environment& environment) {
  if (run.noise.cases.empty()) {
    say(environment, "--measure: nothing saved: " +
                         (run.failed.empty() ? "no case was launched often enough" : run.failed));
    return kExitNothingMeasured;
  }
  environment.out.flush();
  campaign::store_machine(place, run.noise);
  environment.err << "Saved in " << text::printable(place.string())
                  << ", quoted by `plan` and by inconclusive verdicts\n";
  return kExitOk;
}

int examine_and_report(const DoctorOptions& options, const Environment& environment) {
  if (options.ranks.ranks > 0) {
    return examine_ranks_and_report(options.ranks, options.format, environment);
  }
  std::filesystem::path place;
  std::optional<campaign::MachineRun> run;
  const Fields identity = campaign::machine_identity(options.root);
  if (options.measure > 0) place = campaign::place_for_machine(environment.variables, identity);
  machine::Examination seen = [&] {
    const Waiting waiting(environment, options.seconds);
    return machine::examine(options.root, options.seconds, HostClock());
  }();
  if (seen.nvml) seen.cuda_needed = STEPBENCH_CUDA_VERSION;
  seen.without_workers = "loader.num_workers=0";
  if (options.measure > 0) {
    run = measure(options, identity, environment);
    if (run->signal) {
      say(environment, "interrupted; measurements not saved");
      return exit_status_of_signal(*run->signal);
    }
  }
  const std::vector<Finding> findings = machine::diagnose(seen);
  const Fields facts = machine::host_environment(
      options.root, machine::find_devices(options.root, machine::nvml_devices));
  if (options.format == "json") {
    environment.out << report::machine_json(seen, findings, facts, run ? &run->noise : nullptr);
  } else {
    environment.out << render(report::machine_document(seen, findings, facts), environment);
    if (run) {
      environment.out << '\n'
                      << report::machine_noise_text(
                             run->noise, environment.colour,
                             static_cast<std::size_t>(environment.terminal_columns));
    }
  }
  const int kept = run ? keep(*run, place, environment) : kExitOk;
  return report::is_pointless(findings) ? kExitNothingMeasured : kept;
}

}  // namespace

void add_doctor(Command& command) {
  DoctorOptions& options = command.calls(examine_and_report);
  command
      .option(kMeasureOptions, "--seconds SECONDS", options.seconds,
              "How long to time the same work")
      .with_default()
      .number(0.01, 3600, "seconds");
  command
      .option(kMeasureOptions, "--measure SECONDS", options.measure,
              "Also measure three small cases in turns for this long, to find the smallest "
              "detectable change; saved in the user's state folder")
      .with_value_when_bare("60")
      .number(10, 86400, "seconds");
  add_lock_flags(command, options.lock);
  CommandOption& ranks = command
                             .option(kMeasureOptions, "--ranks N", options.ranks.ranks,
                                     "Check a group of N processes instead of the machine: what "
                                     "the launcher gives each, a barrier and an all-reduce")
                             .whole_number(1, 4096);
  command.option(kMeasureOptions, "--launcher", options.ranks.launcher, "What starts them")
      .with_default()
      .one_of(catalogue::launcher_names())
      .needs(ranks);
  command
      .option(kMeasureOptions, "--launcher-args WORDS", options.ranks.launcher_args,
              "More options for the launcher, as '--nodes 2'")
      .needs(ranks);
  command
      .option_function(
          kMeasureOptions, "--interpreter PATH",
          [&options](const std::string& path) {
            options.ranks.interpreter = run::interpreter_at(path);
          },
          "With --ranks: the Python whose torch is tested; default: the active environment's")
      .needs(ranks);
  command
      .option(kMeasureOptions, "--root DIR", options.root,
              "Read the machine's state below this folder")
      .with_default()
      .folder();
  add_format(command, options.format, {"text", "json"});
}

}  // namespace stepbench::cli
