// SPDX-License-Identifier: Apache-2.0
// What the nights have measured, as values. Nights stand in order of time; a series has at most one
// point of each. Plain data; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/value.h"
#include "harness/record/rows.h"
#include "harness/track/series.h"

namespace stepbench::track {

// A run that was taken into the history: what a confirmation needs to measure it again.
struct TrackedRun {
  std::string run_id = {};
  std::string started_utc = {};  // 2026-01-31T12:00:00Z; the order of the nights
  std::string experiment = {};   // its name
  std::string host = {};
  std::string folder = {};  // where its files lay when it was added
  std::string build_id = {};
  std::string worker_path = {};  // of the program that was measured
  std::string git_sha = {};
  std::string git_branch = {};
  bool git_dirty = false;
  std::string config_path = {};
  std::string config_text = {};
  std::string config_hash = {};
  std::string plan_digest = {};
  record::CommandLine asked = {};
  Fields labels = {};       // --label key=value
  Fields context = {};      // all else that the run recorded of itself
  Fields environment = {};  // of its worker
};

// nullptr if none has this id.
[[nodiscard]] const TrackedRun* find_run(std::span<const TrackedRun> runs, std::string_view run_id);

// Where a commit of it is shown, by `track.commit_url` of its experiment. Empty: nobody said where,
// or no commit is known.
inline constexpr std::string_view kCommitUrlOption = "track.commit_url";  // in its context
[[nodiscard]] std::string commit_url(const TrackedRun& run, const std::string& sha);

// Of a file of another program, which version 0.1 took in: shown, and not judged.
[[nodiscard]] bool is_imported(const TrackedRun& run);

struct TrackedPoint {
  std::size_t run = 0;  // index into History::runs
  double value = 0;     // median over launches, in the series' unit
  double low = 0;       // its 95 % interval; equal to value where there are too few launches
  double high = 0;
  std::int64_t launches = 0;
  std::int64_t steps = 0;              // in each launch's window; 0: they differ
  std::optional<double> control = {};  // the control case's step in this run, ns
  std::string cohort = {};             // Cohort::id
};

struct SeriesHistory {
  TrackedSeries series = {};
  std::vector<TrackedPoint> points = {};  // by time of their runs
};

struct History {
  std::vector<TrackedRun> runs = {};       // by started_utc, then run_id
  std::vector<SeriesHistory> series = {};  // by experiment, case id, metric
  std::vector<Cohort> cohorts = {};

  // nullptr if none has this id.
  [[nodiscard]] const TrackedRun* find_run(std::string_view run_id) const;
  [[nodiscard]] const SeriesHistory* find_series(std::string_view id) const;
};

// How far a series goes back.
struct SeriesExtent {
  std::size_t points = 0;
  std::string first_run = {};  // run id
};

// What of a history is wanted.
struct HistoryQuery {
  // Only these; empty: all.
  std::vector<std::string> series = {};       // ids
  std::vector<std::string> experiments = {};  // names: only their runs
  std::vector<std::string> runs = {};         // series that have a point of one of these runs
  std::string host = {};                      // empty: any; else only its runs
  // Points of each series, the newest; 0: all. Of many series those of the newest runs.
  std::size_t last = 0;
};

}  // namespace stepbench::track
