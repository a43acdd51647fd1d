// SPDX-License-Identifier: Apache-2.0
// Measures the experiments of one night one after the other, then more pairs of the cases that look
// odd, and goes on where an earlier call was cut off. Prints nothing but progress.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/campaign/run_experiment.h"
#include "harness/campaign/unfinished_night.h"

namespace stepbench::campaign {

struct PlannedExperiment {
  RunRequest request = {};  // without `resume`; its `lock` does not count: the caller holds locks
  PlannedRun run = {};
  std::optional<Beside> beside = {};  // its reference program
};

struct MeasuredExperiment {
  std::string file = {};
  std::filesystem::path folder = {};  // empty: nothing was begun
  record::Results results = {};       // all that the folder holds
  std::string error = {};             // why it came to no end; empty: it did, or a signal came
  std::set<std::string> left = {};    // ids of cases that look odd, and that the budget left
};

struct MeasuredNight {
  std::vector<MeasuredExperiment> experiments = {};
  std::optional<int> signal = {};  // that interrupted it: what follows was not begun
};

// A case of which a series looks as if it had changed.
struct OddCase {
  std::string case_id = {};
  double oddness = 0;        // of the series that looks so most: nights::oddness()
  bool left_before = false;  // by the budget of the night before
};

// Whether it is measured before the other: what was left before, then what looks worse, then what
// lies farther off.
[[nodiscard]] bool comes_before(const OddCase& one, const OddCase& other);

struct FreshPairs {
  // Of an experiment, by its place, with all that was measured of it.
  std::function<std::vector<OddCase>(std::size_t experiment, const record::Results& results)>
      odd_cases = {};
  // Seconds of launches of the whole night, after which no more pairs are begun; nothing: three
  // times what the planned launches took, an hour at least. The planned ones are made in any case.
  std::optional<double> budget_s = {};
};

// The planned launches of all experiments; then 8, 16, 24 fresh pairs of each case that looks odd,
// as long as it does, and a launch of both programs that records operations. A failed pair is
// repeated twice at most. What fails is told in `error`, and the next experiment is measured all
// the same. An experiment whose plan, worker or data are others than when `night` was cut off is
// measured anew, which is said. Main thread only.
[[nodiscard]] MeasuredNight measure_night(std::span<const PlannedExperiment> experiments,
                                          const FreshPairs& fresh, const CampaignContext& context,
                                          UnfinishedNight& night, run::Progress& progress,
                                          run::Interrupts& interrupts, const Clock& clock);

struct FailedLaunches {
  std::size_t launches = 0;
  std::size_t of = 0;      // without those that were skipped
  std::string first = {};  // the first one's case and what went wrong
};
// Of tonight's program.
[[nodiscard]] FailedLaunches failed_launches(const record::Results& results);

}  // namespace stepbench::campaign
