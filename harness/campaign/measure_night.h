// SPDX-License-Identifier: Apache-2.0
// Measures the experiments of one night one after the other, and goes on where an earlier call was
// cut off. Prints nothing but progress.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/campaign/run_experiment.h"
#include "harness/campaign/unfinished_night.h"

namespace stepbench::campaign {

struct NightExperiment {
  RunRequest request = {};  // without `resume`; its `lock` does not count: the caller holds locks
  PlannedRun run = {};
  std::optional<Beside> beside = {};  // its reference program
};

struct MeasuredExperiment {
  std::string file = {};
  std::filesystem::path folder = {};  // empty: nothing was begun
  record::Results results = {};       // all that the folder holds
  std::string error = {};             // why it came to no end; empty: it did, or a signal came
};

struct MeasuredNight {
  std::vector<MeasuredExperiment> experiments = {};
  std::optional<int> signal = {};  // that interrupted it: what follows was not begun
};

// What fails is told in `error`, and the next experiment is measured all the same. An experiment
// whose plan, worker or data are others than when `night` was cut off is measured anew, which is
// said. Main thread only.
[[nodiscard]] MeasuredNight measure_night(std::span<const NightExperiment> experiments,
                                          const CampaignContext& context, UnfinishedNight& night,
                                          run::Progress& progress, run::Interrupts& interrupts,
                                          const Clock& clock);

struct FailedLaunches {
  std::size_t launches = 0;
  std::size_t of = 0;                 // without those that were skipped
  std::size_t cases_without_any = 0;  // none of their launches was measured, and some failed
  std::string first = {};             // the first one's case and what went wrong
};
[[nodiscard]] FailedLaunches failed_launches(const record::Results& results);

}  // namespace stepbench::campaign
