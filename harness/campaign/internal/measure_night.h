// SPDX-License-Identifier: Apache-2.0
// Measures the experiments of one night one after the other, then more pairs of the cases that look
// odd. A file records which experiments were begun, and in which folders: after a signal, crash or
// power cut the same command resumes the night. Prints only progress. One thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "harness/campaign/internal/nightly_experiment.h"

namespace stepbench::campaign {

// The file of a night in progress.

class UnfinishedNight {
 public:
  // The file is in the folder `results`, which need not exist. `key` distinguishes nights that are
  // measured into the same folder: host, experiments, options. Reads what an earlier call of the
  // same night left.
  UnfinishedNight(const std::filesystem::path& results, const std::string& key,
                  std::chrono::system_clock::time_point now);

  // An earlier call left a night to resume.
  [[nodiscard]] bool resumes() const { return resumes_; }
  // Start of the first call of this night.
  [[nodiscard]] const std::string& began_utc() const { return began_utc_; }
  // Folder of the experiment; empty: not begun.
  [[nodiscard]] std::filesystem::path folder_of(const std::string& experiment) const;

  // Starts a new night and ignores what an earlier call left.
  void restart(std::chrono::system_clock::time_point now);
  // The experiment's launches are in `folder`. On disk when this returns. Throws ConfigError.
  void begun(const std::string& experiment, const std::filesystem::path& folder);
  // The night was measured and reported: the next call starts a new one.
  void end();

 private:
  void read(const std::string& oldest_utc);
  std::filesystem::path file_;
  std::string began_utc_;
  std::map<std::string, std::string> folders_;
  bool resumes_ = false;
};

// Runs the planned launches of all experiments. Then, for each case that looks changed and while it
// does, runs 8, 16, 24 fresh pairs and a launch of both programs that records operations. Repeats a
// failed pair at most twice. Reports a failure in an experiment's `error` and continues with the
// next one. Restarts an experiment, with a note, if its plan, worker or data changed since `night`
// was interrupted. Returns the signal that interrupted it; later experiments were not begun.
// `budget_s`: seconds since the night began after which no more pairs are begun; nullopt: three
// times the time of the planned launches, at least an hour. Planned launches are always made, and
// so are eight pairs of the first case that was left the previous night. Main thread only.
[[nodiscard]] std::optional<int> measure_night(std::span<NightlyExperiment> experiments,
                                               std::optional<double> budget_s,
                                               UnfinishedNight& night, const Launching& launching);

}  // namespace stepbench::campaign
