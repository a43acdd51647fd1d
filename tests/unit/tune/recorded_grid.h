// SPDX-License-Identifier: Apache-2.0
// Grids of settings that were measured whole, of results/tune: searches are replayed on them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace stepbench::tune {

struct RecordedLaunch {
  double step = 0;  // logarithm of ns
  double wall_s;
  double wait_ns = 0;    // of a step: for its batch
  double worker_ns = 0;  // that a worker makes a batch in; 0: nobody told
};
using RecordedRound = std::vector<RecordedLaunch>;  // by point

struct Recording {
  std::string name = {};
  std::vector<std::map<std::string, std::string>> points = {};  // values of the options
  std::vector<RecordedRound> rounds = {};
};

// Throws Error where a cell or a launch is missing.
[[nodiscard]] Recording read_recording(const std::filesystem::path& file);

// What is replayed, and what is true of it.
struct RecordedGrid {
  std::vector<RecordedRound> rounds = {};
  std::vector<double> truth = {};  // by point: logarithm of its step over the best one's
  double cv = 0;                   // of a launch, without what its point and round are
  double truth_sd = 0;             // of `truth`, by point; 0: it is what it is
};
// The first half of the rounds is replayed, the other half says what is true.
[[nodiscard]] RecordedGrid as_measured(const Recording& recording);
// All rounds are replayed, and what they say together is true. What is left of each launch without
// its point and its round is made smaller or larger, so that launches vary by `cv`; rounds stay as
// far apart as they were.
[[nodiscard]] RecordedGrid with_cv(const Recording& recording, double cv);

// What is left of each launch without its point and its round: logarithms.
[[nodiscard]] std::vector<double> residuals_of(const Recording& recording);

}  // namespace stepbench::tune
