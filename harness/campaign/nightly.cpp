// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/campaign/nightly.h"
#include "harness/machine/environment.h"
#include "harness/nights/acts.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

// The history identifies experiments by name: refuse duplicates.
void check_names(const std::vector<NightlyExperiment>& experiments) {
  std::set<std::string> names;
  for (const NightlyExperiment& experiment : experiments) {
    const std::string& name = experiment.run.planned.plan.name;
    if (names.insert(name).second) continue;
    throw ConfigError(
        experiment.request.file,
        formatted("duplicate name '{}': the history identifies experiments by `name`", name));
  }
}

std::vector<NightlyExperiment> plan_night(const NightlyRequest& request,
                                          const CampaignContext& context) {
  std::vector<NightlyExperiment> experiments;
  for (const std::string& file : request.files) {
    NightlyExperiment experiment{.request = request.run};
    experiment.request.file = file;
    experiment.run = plan_experiment(experiment.request, context, true);
    refuse_copies(experiment.run.planned.plan, {.ranks = "nightly --ranks "}, context.variables);
    experiments.push_back(std::move(experiment));
  }
  check_names(experiments);
  return experiments;
}

// Identifies this night among others that are measured into the same folder.
std::string key_of(const NightlyRequest& request) {
  std::vector<std::string> words = request.files;
  words.push_back(request.run.worker);
  words.insert(words.end(), request.run.set.begin(), request.run.set.end());
  return text::join(words, "\n");
}

void print_notes(const std::vector<std::string>& notes, run::Progress& progress) {
  for (const std::string& note : notes) progress.print_line("note: " + note);
}

// Failed launches prevent a successful exit code but do not hide a regression.
void add_failures(const std::vector<NightlyExperiment>& experiments, nights::Night& night) {
  std::vector<std::string> failures;  // inserted before all other notes
  for (const NightlyExperiment& each : experiments) {
    const std::string& file = each.request.file;
    const FailedLaunches failed = failed_launches(each.results);
    if (failed.launches > 0) {
      failures.push_back(formatted("{}: {} of {} failed: {}; `stepbench show {}` has all", file,
                                   failed.launches,
                                   text::counted(static_cast<std::int64_t>(failed.of), "launch"),
                                   failed.first, text::shell_word(each.folder.string())));
      if (night.exit_code == kExitOk || night.exit_code == kExitInconclusive) {
        night.exit_code = kExitNothingMeasured;
        night.verdict = nights::NightState::kNoData;
      }
    }
    if (each.error.empty()) continue;
    failures.push_back(file + " aborted: " + each.error);
    night.exit_code = kExitUsage;
    if (night.verdict != nights::NightState::kRegression)
      night.verdict = nights::NightState::kNoData;
  }
  night.notes.insert(night.notes.begin(), failures.begin(), failures.end());
}

}  // namespace

std::string tracked_name(const plan::Plan& plan, const std::vector<std::string>& labels) {
  const std::string branch = text_of(parse_labels(labels), "branch");
  const std::string main = plan.cases.front().resolved.text_or("track.main", "main");
  return plan.name + (branch.empty() || branch == main ? "" : '@' + branch);
}

NightlyRun::NightlyRun(NightlyRequest request, const CampaignContext& context)
    : request_(std::move(request)),
      context_(context),
      host_(machine::host_name("/")),
      experiments_(plan_night(request_, context)) {}

bool NightlyRun::measure(nights::TrackStore& store, const Launching& launching) {
  std::set<std::string> devices;
  for (const NightlyExperiment& each : experiments_) add_devices(each.run.planned.plan, devices);
  locks_ = lock_devices(lock_directory(), devices, request_.run.lock, launching.interrupts,
                        launching.progress);
  if (!locks_) return false;
  // Only after locking: another process that held the lock may have completed the unfinished night.
  const auto now = std::chrono::system_clock::now();
  unfinished_.emplace(request_.run.results, key_of(request_), now);
  if (request_.fresh) unfinished_->restart(now);
  if (unfinished_->resumes()) {
    launching.progress.print_line(formatted(
        "resuming the night that began at {}; --fresh starts over", unfinished_->began_utc()));
  }
  choose_references(store, launching.progress);
  has_measured_ = !measure_night(experiments_, request_.budget_s, *unfinished_, launching);
  return has_measured_;
}

std::optional<nights::StoredNight> NightlyRun::judge(
    nights::NightRequest request, nights::TrackStore& store, const Launching& launching,
    const std::function<void(const std::string&)>& warn) {
  add_runs(store, request, launching.progress, warn);
  (void)launching.interrupts.take();
  if (launching.interrupts.first()) return std::nullopt;
  nights::StoredNight stored;
  if (request.runs.empty()) {
    stored.night.notes.emplace_back("nothing was measured tonight: the history is unchanged");
  } else {
    stored = nights::judge_and_record(request, store);
    if (!request_.keep.empty()) {
      print_notes(prune_programs(store, host_, request_.keep, request.now_utc, false).notes,
                  launching.progress);
    }
  }
  add_failures(experiments_, stored.night);
  return stored;
}

void NightlyRun::choose_references(nights::TrackStore& store, run::Progress& progress) {
  const std::string today = text::utc_text(std::chrono::system_clock::now()).substr(0, 10);
  const std::vector<nights::TrackEvent> events = store.events();
  for (NightlyExperiment& each : experiments_) {
    const std::string name = tracked_name(each.run.planned.plan, each.request.labels);
    each.reference = choose_reference(each.request, each.run, name, store, host_, context_);
    each.states = nights::load_states(store, host_, name);
    each.merged = nights::MergedCases(events);
    each.ignored = nights::ignored_series(events, today);
    print_notes(each.reference.tonight.notes, progress);
    if (!each.reference.reason.empty()) {
      print_notes({"no reference program: " + each.reference.reason}, progress);
    }
  }
}

void NightlyRun::add_runs(nights::TrackStore& store, nights::NightRequest& request,
                          run::Progress& progress,
                          const std::function<void(const std::string&)>& warn) {
  std::vector<PairedNight> paired;
  std::size_t judged = 0;
  for (const NightlyExperiment& each : experiments_) {
    paired.push_back(paired_night(each, context_));
    judged += paired.back().series.size();
  }
  for (std::size_t i = 0; i < experiments_.size(); ++i) {
    const NightlyExperiment& each = experiments_[i];
    if (each.folder.empty()) continue;
    const nights::ImportReport report = store.add(
        each.results, each.folder,
        {.now = std::chrono::system_clock::now(), .catalogue = &context_.built_in.catalogue});
    print_notes(report.notes, progress);
    std::ranges::for_each(report.conflicts, warn);
    const std::vector<nights::TrackedRun> runs = store.runs();
    for (const std::string& id : report.runs) {
      request.runs.push_back(id);
      request.pairs.push_back(night_pairs_of(each, paired[i], *nights::find_run(runs, id), judged,
                                             store, request_.keep, request.now_utc));
    }
  }
}

}  // namespace stepbench::campaign
