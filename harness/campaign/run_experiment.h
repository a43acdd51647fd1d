// SPDX-License-Identifier: Apache-2.0
// Implements `stepbench run` and `plan --probe`: plans an experiment and measures all its cases.
// Includes what every command that measures shares: its context, requests, plans with their
// forecasts, locks and the session. Prints only progress. Main thread only; throws Error for user
// errors.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/campaign/internal/plan_forecast.h"
#include "harness/campaign/internal/planning.h"
#include "harness/campaign/internal/run_request.h"
#include "harness/campaign/internal/script_experiment.h"
#include "harness/record/result_file.h"

namespace stepbench::campaign {

// Context fields that describe the reference program of a run.
inline constexpr const char* kReferenceRun = "reference_run";  // id of the run it is from
inline constexpr const char* kReferenceBuild = "reference_build_id";

struct PlannedRun {
  std::optional<run::WorkerProgram> worker;  // nullopt only if it was not needed
  Planned planned;
};

// Plans the requested cases, at least one. Without `needs_worker` (to show the plan) a missing
// built-in worker is not an error.
[[nodiscard]] PlannedRun plan_experiment(const RunRequest& request, const CampaignContext& context,
                                         bool needs_worker);

// The reference program of a night, measured in alternation with the run's own: see
// run/agenda.h.
struct PairedReference {
  std::string run = {};    // id of the run that the program is from
  std::string build = {};  // digest of the program
  PlannedRun planned;
  std::map<std::string, int> pairs = {};  // total number by case id; default: night_pairs()
  std::set<std::string> profiled = {};    // case ids with a launch that records operations
};
// Ids of the cases that both programs can and should measure.
[[nodiscard]] std::set<std::string> paired_cases(const plan::Plan& tonight,
                                                 const PairedReference& paired_reference);

struct RunEnd {
  int exit_status = 0;
  std::optional<int> signal = {};         // signal that interrupted it
  std::filesystem::path run_folder = {};  // empty: interrupted before it was created
  record::Results results = {};           // everything in the folder now
};

// Locks the devices, measures what is missing and reads all results back. `run` must have been
// planned with a worker. `launching.interrupts` must live until the end has been reported, because
// a signal or a broken pipe must not interrupt that. `on_start` receives the run's folder before
// the first launch. Main thread only.
[[nodiscard]] RunEnd run_experiment(
    const RunRequest& request, const PlannedRun& run, const Launching& launching,
    const std::function<void(const std::filesystem::path&)>& on_start = {},
    const PairedReference* paired_reference = nullptr);

// Distinguishes: nothing measured, some failed, all measured or skipped by rule.
[[nodiscard]] int run_exit_status(const record::Results& results);

// Implements `stepbench plan --probe`: one smoke launch of each case, without keeping results, to
// find in seconds what cannot run and roughly how long the rest will take.

struct Probe {
  int exit_status = 0;             // as for `run --smoke`
  std::optional<int> signal = {};  // signal that interrupted it
  KnownCosts costs = {};           // from the measured launches
  std::vector<record::LaunchRow> failed = {};
};

// Replans `request` with the smoke schedule and measures it in a temporary folder, which is removed
// on return. All arguments must outlive the call. Throws Error for user errors.
[[nodiscard]] Probe probe_cases(RunRequest request, const Launching& launching);

}  // namespace stepbench::campaign
