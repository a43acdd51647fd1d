// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/nightly_run.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/archive_worker.h"
#include "harness/campaign/confirm_suspects.h"
#include "harness/campaign/device_locks.h"
#include "harness/campaign/measure_night.h"
#include "harness/campaign/range_commits.h"
#include "harness/campaign/reference_program.h"
#include "harness/campaign/run_request.h"
#include "harness/campaign/unfinished_night.h"
#include "harness/machine/environment.h"
#include "harness/text/printable.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"
#include "harness/track/reference.h"
#include "harness/track/track_store.h"
#include "tools/stepbench/campaign_context.h"

namespace stepbench::cli {
namespace {

namespace fs = std::filesystem;

// Two experiments of one name would be one in the history.
void check_names(const std::vector<campaign::NightExperiment>& experiments) {
  std::set<std::string> names;
  for (const campaign::NightExperiment& experiment : experiments) {
    const std::string& name = experiment.run.planned.plan.name;
    if (names.insert(name).second) continue;
    throw ConfigError(experiment.request.file,
                      "its name is '" + name +
                          "', as that of an experiment before it: the history tells experiments "
                          "apart by `name`");
  }
}

std::vector<campaign::NightExperiment> plan_night(const NightlyOptions& options,
                                                  const campaign::CampaignContext& context) {
  std::vector<campaign::NightExperiment> experiments;
  for (const std::string& file : options.files) {
    campaign::NightExperiment experiment{.request = options.run};
    experiment.request.file = file;
    experiment.run = campaign::plan_experiment(experiment.request, context, true);
    campaign::refuse_copies(experiment.run.planned.plan, {.ranks = "nightly --ranks "},
                            context.variables);
    experiments.push_back(std::move(experiment));
  }
  check_names(experiments);
  return experiments;
}

fs::path keep_folder(const NightlyOptions& options) {
  return options.keep_worker.empty() ? fs::path(options.run.results) / "workers"
                                     : fs::path(options.keep_worker);
}

// The history for somebody who reads of it in another folder.
std::string history_words_anywhere(HistoryFlags flags) {
  constexpr std::string_view kFile = "sqlite:";
  if (flags.db.starts_with(kFile)) {
    const fs::path file = flags.db.substr(kFile.size());
    flags.db = std::string(kFile) + fs::absolute(file).lexically_normal().string();
  }
  if (!flags.events.empty()) flags.events = fs::absolute(flags.events).string();
  return history_words(flags);
}

// What tells this night from another one that is measured into the same folder.
std::string key_of(const NightlyOptions& options) {
  std::vector<std::string> words = options.files;
  words.push_back(options.run.worker);
  words.insert(words.end(), options.run.set.begin(), options.run.set.end());
  return text::join(words, "\n");
}

bool has_failed(int exit_code) {
  return exit_code == kExitUsage || exit_code == kExitNothingMeasured;
}

// One night, stage by stage. A signal ends it between two stages or inside one, never with less on
// disk than was measured.
class NightlyRun {
 public:
  NightlyRun(const NightlyOptions& options, const Environment& environment)
      : options_(options),
        environment_(environment),
        context_(campaign_context(environment)),
        progress_(make_progress(environment, options.quiet, clock_)),
        view_(night_view(options.check, options.history)) {}

  // Throws what failed. What was measured by then is told.
  int execute() {
    try {
      return measure_and_judge();
    } catch (const std::exception&) {
      if (measured_) {
        environment_.err
            << "stepbench: what was measured is kept, and the same command goes on with "
               "this night\n";
      }
      throw;
    }
  }

 private:
  int measure_and_judge() {
    std::vector<campaign::NightExperiment> experiments = plan_night(options_, context_);
    track::TrackStore before = open_history(options_.history, true);  // found out before hours
    run::Interrupts interrupts;
    const auto locks = lock_night(experiments, interrupts);
    if (!locks) return interrupted(interrupts);
    // Only now: whoever held the lock may have ended what was unfinished.
    campaign::UnfinishedNight unfinished{options_.run.results, key_of(options_), system_now()};
    if (options_.fresh) unfinished.begin_anew(system_now());
    if (unfinished.goes_on()) {
      progress_.say("going on with the night that began at " + unfinished.began_utc() +
                    "; --fresh begins anew");
    }
    choose_references(experiments, before);
    const campaign::MeasuredNight measured =
        campaign::measure_night(experiments, context_, unfinished, progress_, interrupts, clock_);
    if (measured.signal) return interrupted(interrupts);
    measured_ = true;
    track::TrackStore store = open_history(options_.history, true);
    const std::vector<std::string> nights = add(measured, store);
    add_references(measured, nights, store);
    if (!options_.keep_no_worker) keep_workers(nights, store);
    if (signal_of(interrupts)) return interrupted(interrupts);
    campaign::CheckedNight checked = check(nights, store, interrupts);
    if (checked.signal || signal_of(interrupts)) return interrupted(interrupts);
    add_failures(measured, checked.night);
    if (!options_.on_alert.empty()) {
      const AlertNotifier notifier = notifier_of(options_, environment_);
      notify_alerts(store, notifier, system_now(), environment_.err);
      if (has_failed(checked.night.exit_code)) {
        notify_failed_night(notifier, checked.night.exit_code, checked.night.notes,
                            environment_.err);
      }
    }
    if (signal_of(interrupts)) return interrupted(interrupts);
    campaign::list_commits(checked.night.alerts, checked.history.runs);
    show_night(checked, options_.check, view_, environment_);
    if (checked.night.exit_code != kExitUsage) unfinished.end();
    return checked.night.exit_code;
  }

  static std::chrono::system_clock::time_point system_now() {
    return std::chrono::system_clock::now();
  }

  static std::optional<int> signal_of(run::Interrupts& interrupts) {
    (void)interrupts.take();
    return interrupts.first();
  }

  int interrupted(const run::Interrupts& interrupts) {
    const int status = exit_status_of_signal(interrupts.first().value());
    const std::string text = "interrupted; the same command goes on with this night";
    write_no_night(options_.check, "stepbench nightly", status, text);
    environment_.err << "stepbench: " << text << '\n';
    return status;
  }

  // Held until the night's end: nobody else measures between its runs and its confirmations.
  std::optional<std::vector<run::DeviceLock>> lock_night(
      const std::vector<campaign::NightExperiment>& experiments, run::Interrupts& interrupts) {
    std::set<std::string> devices;
    for (const campaign::NightExperiment& each : experiments)
      campaign::add_devices(each.run.planned.plan, devices);
    const campaign::LockPolicy policy =
        campaign::lock_policy(options_.lock.none, options_.lock.wait);
    return campaign::lock_devices(run::lock_directory(), devices, policy, interrupts, progress_);
  }

  void choose_references(std::vector<campaign::NightExperiment>& experiments,
                         track::TrackStore& store) {
    for (campaign::NightExperiment& each : experiments) {
      campaign::ReferenceProgram reference =
          campaign::choose_reference(each.request, each.run, store, context_);
      if (!reference.why.empty()) {
        progress_.say("note: no reference program: " + reference.why);
        no_reference_[each.request.file] = reference.why;
      }
      if (reference.planned) {
        each.beside = campaign::Beside{reference.run, std::move(*reference.planned)};
      }
    }
  }

  // What the reference programs said, once for each run: a night that goes on has it already.
  void add_references(const campaign::MeasuredNight& measured,
                      const std::vector<std::string>& nights, track::TrackStore& store) {
    const std::vector<track::TrackedRun> runs = store.runs();
    const track::ReferenceLog known(store.events());
    for (const campaign::MeasuredExperiment& each : measured.experiments) {
      for (const track::TrackedRun& run : runs) {
        const bool tonight = std::find(nights.begin(), nights.end(), run.run_id) != nights.end();
        const bool of_this =
            std::any_of(each.results.runs.begin(), each.results.runs.end(),
                        [&](const record::RunRow& row) { return row.run_id == run.run_id; });
        if (!tonight || !of_this || known.of_run(run.run_id) != nullptr) continue;
        const auto night = campaign::reference_night(each.results, each.folder, run,
                                                     no_reference_[each.file], context_);
        if (!night) continue;
        track::TrackEvent event = track::event_of(*night);
        event.at_utc = text::utc_text(system_now());
        event.who = author(options_.check.who, environment_);
        store.record({&event, 1});
      }
    }
  }

  // Ids of the runs that have anything in the history.
  std::vector<std::string> add(const campaign::MeasuredNight& measured, track::TrackStore& store) {
    std::vector<std::string> nights;
    for (const campaign::MeasuredExperiment& each : measured.experiments) {
      if (each.folder.empty()) continue;
      const track::ImportReport report =
          store.add(each.results, each.folder,
                    {.now = system_now(), .catalogue = &context_.built_in.catalogue});
      nights.insert(nights.end(), report.runs.begin(), report.runs.end());
      for (const std::string& note : report.notes) progress_.say("note: " + note);
      for (const std::string& conflict : report.conflicts) {
        environment_.err << "stepbench: warning: " << text::printable(conflict) << '\n';
      }
    }
    return nights;
  }

  // For the nights to come: tonight's program may be the last good one.
  void keep_workers(const std::vector<std::string>& nights, track::TrackStore& store) {
    for (const track::TrackedRun& run : store.runs()) {
      if (std::find(nights.begin(), nights.end(), run.run_id) == nights.end()) continue;
      const campaign::KeepReport report =
          campaign::archive_worker(store, run, keep_folder(options_), text::utc_text(system_now()));
      for (const std::string& note : report.notes) progress_.say("note: " + note);
    }
  }

  campaign::CheckedNight check(const std::vector<std::string>& nights, track::TrackStore& store,
                               run::Interrupts& interrupts) {
    if (nights.empty()) {
      campaign::CheckedNight nothing;
      nothing.night.verdict = track::NightState::kNoData;
      nothing.night.exit_code = kExitNothingMeasured;
      nothing.night.notes.emplace_back("nothing was measured tonight: the history is as it was");
      return nothing;
    }
    campaign::CheckRequest request = complete_request(options_.check, environment_);
    request.nights = nights;
    request.results = options_.run.results;
    request.lock = campaign::LockPolicy::kNone;  // this program holds the locks
    if (options_.check.no_confirm) return campaign::check_night(request, store, {});
    return campaign::check_night(request, store, [&](const campaign::ConfirmRequest& confirm) {
      return campaign::confirm_suspects(confirm, store, context_, progress_, interrupts, clock_);
    });
  }

  // A launch that failed makes no night green, and hides no regression.
  static void add_failures(const campaign::MeasuredNight& measured, track::Night& night) {
    std::vector<std::string> failures;  // before all else that is to be said
    for (const campaign::MeasuredExperiment& each : measured.experiments) {
      const campaign::FailedLaunches failed = campaign::failed_launches(each.results);
      if (failed.launches > 0) {
        failures.push_back(each.file + ": " + std::to_string(failed.launches) + " of " +
                           text::counted(static_cast<std::int64_t>(failed.of), "launch") +
                           " failed: " + failed.first + "; `stepbench show " +
                           text::shell_word(each.folder.string()) + "` has all");
        if (night.exit_code == kExitOk || night.exit_code == kExitInconclusive) {
          night.exit_code = kExitNothingMeasured;
          night.verdict = track::NightState::kNoData;
        }
      }
      if (each.error.empty()) continue;
      failures.push_back(each.file + " broke off: " + each.error);
      night.exit_code = kExitUsage;
      if (night.verdict != track::NightState::kRegression)
        night.verdict = track::NightState::kNoData;
    }
    night.notes.insert(night.notes.begin(), failures.begin(), failures.end());
  }

  const NightlyOptions& options_;
  const Environment& environment_;
  const campaign::CampaignContext context_;
  const HostClock clock_;
  run::Progress progress_;
  const report::NightView view_;
  std::map<std::string, std::string> no_reference_ = {};  // why, by file
  bool measured_ = false;
};

}  // namespace

AlertNotifier notifier_of(const NightlyOptions& options, const Environment& environment) {
  return {.command = options.on_alert,
          .who = author(options.check.who, environment),
          .host = machine::host_name("/"),
          .history_words = history_words_anywhere(options.history)};
}

int run_night(const NightlyOptions& options, const Environment& environment) {
  return NightlyRun{options, environment}.execute();
}

}  // namespace stepbench::cli
