// SPDX-License-Identifier: Apache-2.0
// Implements `stepbench nightly`: a night in stages, the kept programs that no night needs any
// more, the commits of an alert, and cases whose id changed. Prints nothing; runs git. Main thread
// only.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/campaign/internal/device_locks.h"
#include "harness/campaign/internal/measure_night.h"
#include "harness/campaign/internal/nightly_experiment.h"
#include "harness/campaign/internal/prune_programs.h"
#include "harness/campaign/run_experiment.h"
#include "harness/catalogue/catalogue.h"
#include "harness/nights/history.h"
#include "harness/nights/merged_cases.h"
#include "harness/nights/night.h"
#include "harness/nights/night_store.h"
#include "harness/rule.h"
#include "harness/run/terminal.h"

namespace stepbench::campaign {

// The experiment's name in the history, with @BRANCH appended if a label names a branch other than
// `track.main`.
[[nodiscard]] std::string tracked_name(const plan::Plan& plan,
                                       const std::vector<std::string>& labels);

struct NightlyRequest {
  std::vector<std::string> files = {};  // the experiments
  RunRequest run = {};                  // common to all of them
  std::filesystem::path keep = {};      // of reference programs; empty: none are kept
  std::optional<double> budget_s = {};  // see measure_night()
  bool fresh = false;                   // starts over instead of resuming an interrupted night
};

// One night in stages. A signal may end it between or within them; everything measured by then is
// on disk. `context` must outlive it.
class NightlyRun {
 public:
  // Plans the experiments. Throws ConfigError for user errors, such as two experiments of one name.
  NightlyRun(NightlyRequest request, const CampaignContext& context);

  // Measures in turns with the references, which are found in `store`. Holds the locks of the
  // devices to the end of the night: nobody else may measure between runs and confirmations.
  // Returns false if a signal interrupted it.
  [[nodiscard]] bool measure(nights::TrackStore& store, const Launching& launching);
  // Adds the runs and their comparisons with the references to the history, judges, and deletes
  // stored programs that are no longer references. `request` is complete but for its runs. Passes
  // launches that contradict the history to `warn`. Returns nullopt if a signal came before.
  [[nodiscard]] std::optional<nights::StoredNight> judge(
      nights::NightRequest request, nights::TrackStore& store, const Launching& launching,
      const std::function<void(const std::string&)>& warn);
  // The night was reported: the next call starts a new one.
  void end() { unfinished_->end(); }

  // All planned launches were made.
  [[nodiscard]] bool has_measured() const { return has_measured_; }

 private:
  void choose_references(nights::TrackStore& store, run::Progress& progress);
  void add_runs(nights::TrackStore& store, nights::NightRequest& request, run::Progress& progress,
                const std::function<void(const std::string&)>& warn);

  NightlyRequest request_;
  const CampaignContext& context_;
  std::string host_;
  std::vector<NightlyExperiment> experiments_;
  std::optional<std::vector<DeviceLock>> locks_ = {};
  std::optional<UnfinishedNight> unfinished_ = {};
  bool has_measured_ = false;
};

// Lists the commits between the last good and the first bad program of an alert, using git if the
// night's repository is available. Runs git; one thread.

// Fills Alert::commits, up to 20 of the newest ones, of the alerts that `of` selects, by default
// the open ones. Stays empty for an alert whose nights have the same commit or whose repository is
// elsewhere.
void list_commits(nights::AlertLog& log, std::span<const nights::TrackedRun> runs,
                  const std::function<bool(const nights::Alert&)>& of = {});

// Tells people of a night by a command of theirs, run by `sh -c` with JSON on its standard input.
// Both functions return warnings: why a command failed.

struct Notifier {
  std::string command = {};
  std::string who = {};   // user@host
  std::string host = {};  // whose alerts are sent
  std::function<std::string(const nights::Alert&, const nights::History&)> alert_json = {};
};
// Once for each notification that is due (see harness/nights/internal/alert.h), which `store`
// records first. A command that fails or takes a minute is retried by the next night.
[[nodiscard]] std::vector<std::string> notify_alerts(nights::TrackStore& store,
                                                     const Notifier& notifier,
                                                     std::chrono::system_clock::time_point now);
// For a night that failed or is incomplete: the object `stepbench.night_failed` has `text` (a
// sentence), `host`, `exit_code` and `notes`.
[[nodiscard]] std::vector<std::string> notify_failed_night(const Notifier& notifier, int exit_code,
                                                           const std::vector<std::string>& notes);

// Finds cases of a history whose id changed when rules of their workload began to apply to workers
// at any path. Before, a worker given by path measured the options exactly as in the file. Pure.

// Verified by the options: without the rules they give the id in the history, with the rules
// another one. Omits cases of workloads unknown to the catalogue. In the order of the history.
[[nodiscard]] std::vector<nights::MergedCase> split_cases(const nights::History& history,
                                                          const Catalogue& catalogue,
                                                          std::span<const WorkloadRule> rules);

}  // namespace stepbench::campaign
