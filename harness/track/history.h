// SPDX-License-Identifier: Apache-2.0
// The measurements of all nights, as values. Nights are in order of time; a series has at most one
// point per night. Plain data; any thread.
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

// A run in the history, with all that is needed to measure it again for a confirmation.
struct TrackedRun {
  std::string run_id = {};
  std::string started_utc = {};  // e.g. 2026-01-31T12:00:00Z; determines the order of nights
  std::string experiment = {};   // its name
  std::string host = {};
  std::string folder = {};  // location of its files when it was added
  std::string build_id = {};
  std::string worker_path = {};  // the measured program
  std::string git_sha = {};
  std::string git_branch = {};
  bool git_dirty = false;
  std::string config_path = {};
  std::string config_text = {};
  std::string config_hash = {};
  std::string plan_digest = {};
  record::CommandLine asked = {};
  Fields labels = {};       // --label key=value
  Fields context = {};      // all other facts that the run recorded about itself
  Fields environment = {};  // the worker's
};

// nullptr if not found.
[[nodiscard]] const TrackedRun* find_run(std::span<const TrackedRun> runs, std::string_view run_id);

// URL of a commit, from `track.commit_url`. Empty: not configured, or commit unknown.
inline constexpr std::string_view kCommitUrlOption = "track.commit_url";  // in the run's context
[[nodiscard]] std::string commit_url(const TrackedRun& run, const std::string& sha);

// A run imported from another program's file by version 0.1: shown but not judged.
[[nodiscard]] bool is_imported(const TrackedRun& run);

struct TrackedPoint {
  std::size_t run = 0;  // index into History::runs
  double value = 0;     // median over launches, in the series' unit
  double low = 0;       // 95 % interval; equal to value if there are too few launches
  double high = 0;
  std::int64_t launches = 0;
  std::int64_t steps = 0;              // per launch window; 0: they differ
  std::optional<double> control = {};  // step of the control case in this run, ns
  std::string cohort = {};             // Cohort::id
};

struct SeriesHistory {
  TrackedSeries series = {};
  std::vector<TrackedPoint> points = {};  // in order of their runs' times
};

struct History {
  std::vector<TrackedRun> runs = {};       // sorted by started_utc, then run_id
  std::vector<SeriesHistory> series = {};  // sorted by experiment, case id, metric
  std::vector<Cohort> cohorts = {};

  // nullptr if not found.
  [[nodiscard]] const TrackedRun* find_run(std::string_view run_id) const;
  [[nodiscard]] const SeriesHistory* find_series(std::string_view id) const;
};

struct SeriesExtent {
  std::size_t points = 0;
  std::string first_run = {};  // run id
};

// Selects parts of a history.
struct HistoryQuery {
  // Only these series; empty: all.
  std::vector<std::string> series = {};       // ids
  std::vector<std::string> experiments = {};  // names; restricts to their runs
  std::vector<std::string> runs = {};  // restricts to series with a point in one of these runs
  std::string host = {};               // restricts to its runs; empty: all
  // Number of newest points per series; 0: all. With many series, points of the newest runs.
  std::size_t last = 0;
};

}  // namespace stepbench::track
