// SPDX-License-Identifier: Apache-2.0
// What `stepbench run` does: plans an experiment and measures every case of it. Prints nothing but
// progress. Throws Error for what the user can mend.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "harness/base/clock.h"
#include "harness/campaign/planning.h"
#include "harness/campaign/run_request.h"
#include "harness/record/reader.h"
#include "harness/run/interrupts.h"
#include "harness/run/progress.h"

namespace stepbench::campaign {

// What a run records of the reference program that it was measured beside.
inline constexpr const char* kReferenceRun = "reference_run";  // id of the run it is of
inline constexpr const char* kReferenceBuild = "reference_build_id";

struct PlannedRun {
  std::optional<run::WorkerProgram> worker;  // nullopt only where none was looked for
  Planned planned;
};

// The cases that the request asks for, at least one. Without `needs_worker` (to show the plan) a
// missing built-in worker is no error.
[[nodiscard]] PlannedRun plan_experiment(const RunRequest& request, const CampaignContext& context,
                                         bool needs_worker);

// The reference program of a night, which is measured in turns with the run's own: see
// turns_agenda.h.
struct Beside {
  std::string run = {};    // id of the run whose program it is
  std::string build = {};  // digest of the program
  PlannedRun planned;
  std::map<std::string, int> pairs = {};  // to have in all, by case id; else night_pairs()
  std::set<std::string> profiled = {};    // case ids: a launch of each records operations
};
// Ids of the cases that both programs can measure, and that are to be.
[[nodiscard]] std::set<std::string> paired_cases(const plan::Plan& tonight, const Beside& beside);

struct RunEnd {
  int exit_status = 0;
  std::optional<int> signal = {};         // that interrupted it
  std::filesystem::path run_folder = {};  // empty: interrupted before there was one
  record::Results results = {};           // all that this folder holds now
};

// Locks the devices, measures what is not measured yet, reads everything back. `run` was planned
// with a worker. `interrupts` is the caller's and lives until it has told the end: a signal or a
// broken pipe must not end the program half-way through that. `on_start` receives the run's folder
// before the first launch. Main thread only.
[[nodiscard]] RunEnd run_experiment(
    const RunRequest& request, const PlannedRun& run, const CampaignContext& context,
    run::Progress& progress, run::Interrupts& interrupts, const Clock& clock,
    const std::function<void(const std::filesystem::path&)>& on_start = {},
    const Beside* beside = nullptr);

// Nothing measured, some failed, or all measured or skipped by rule.
[[nodiscard]] int run_exit_status(const record::Results& results);

}  // namespace stepbench::campaign
