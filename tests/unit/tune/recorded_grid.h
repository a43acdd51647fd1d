// SPDX-License-Identifier: Apache-2.0
// Grids of settings that were measured completely, from results/tune: searches are replayed on
// them.
#pragma once

#include "tests/testing.h"

namespace stepbench::tune {

struct RecordedLaunch {
  double step = 0;  // logarithm of ns
  double wall_s;
  double wait_ns = 0;    // of a step, for its batch
  double worker_ns = 0;  // time of a worker per batch; 0: unknown
};
using RecordedRound = std::vector<RecordedLaunch>;  // by point

struct Recording {
  std::string name = {};
  std::vector<std::map<std::string, std::string>> points = {};  // values of the options
  std::vector<RecordedRound> rounds = {};
};

// Throws Error if a cell or a launch is missing.
[[nodiscard]] Recording read_recording(const fs::path& file);

// The replayed rounds, and the true values.
struct RecordedGrid {
  std::vector<RecordedRound> rounds = {};
  std::vector<double> truth = {};  // by point: logarithm of its step over that of the best
  double cv = 0;                   // of a launch, without the effects of its point and round
  double truth_sd = 0;             // of `truth`, by point; 0: exact
};
// Replays the first half of the rounds; the other half gives the true values.
[[nodiscard]] RecordedGrid as_measured(const Recording& recording);
// Replays all rounds, which together give the true values. Residuals of launches are scaled so that
// launches vary by `cv`; differences between rounds stay.
[[nodiscard]] RecordedGrid with_cv(const Recording& recording, double cv);

// Residuals of launches without point and round effects: logarithms.
[[nodiscard]] std::vector<double> residuals_of(const Recording& recording);

}  // namespace stepbench::tune
