// SPDX-License-Identifier: Apache-2.0
// Measurements of many nights, as values: runs, series, which points of different nights form a
// series, which metrics have a history, and the load of the machine. Nights are ordered by time; a
// series has at most one point per night. Plain data; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/option_values.h"
#include "harness/base/value.h"
#include "harness/catalogue/catalogue.h"
#include "harness/estimate/noise.h"
#include "harness/record/rows.h"
#include "harness/verdict/tested_metrics.h"

namespace stepbench::nights {

// Which points of different nights form a series, and which of them are comparable.

// The metrics of a case that have a history.
inline constexpr std::string_view kStepSeries = "step_ns";     // the main metric: step or latency
inline constexpr std::string_view kPeakSeries = "peak_bytes";  // device allocator or host
inline constexpr std::string_view kPhaseSeries = "phase.";     // "phase.data_wait"

// One metric of one case on one kind of machine, over all nights. The id is a digest of workload,
// case id, metric, kind of machine, and `track.version`, which the user increments when the same
// name comes to mean different work. It contains nothing that is measured every night (a clock
// rate, free memory), nor the worker's build, which is what nights compare.
struct TrackedSeries {
  std::string id = {};
  std::string experiment = {};  // name for users, from the last run; not part of the id
  std::string workload = {};
  std::string case_id = {};
  std::string metric = {};  // kStepSeries, kPeakSeries, "phase.data_wait" or another
  std::string unit = {};    // "ns", "bytes", or as in its file
  Direction direction = Direction::kNeither;
  bool monitored = false;  // false: only explains other series (phases) and never causes an alert
  bool control = false;    // control case in the last run
  OptionValues options = {};  // case options that differ from the defaults
  Fields machine = {};  // cpu.model, cpu_capability, GPU models and their count, track.version
  bool operator==(const TrackedSeries&) const = default;
};

struct SeriesMetric {
  std::string unit = {};
  Direction direction = Direction::kLowerIsBetter;
};
// For metrics that every case has: the step and its phases, and the memory peak.
[[nodiscard]] SeriesMetric kind_of_metric(std::string_view metric);
// False for phases, which only explain other series and cause no alerts.
[[nodiscard]] bool is_monitored(std::string_view metric);

[[nodiscard]] std::string series_id(const TrackedSeries& series);

// Environment that may change without making another series: driver, torch, CUDA, cuDNN, kernel,
// allocator settings, clock policy, container, data set. A change begins a new segment: points on
// both sides are not comparable.
struct Cohort {
  std::string id = {};  // digest of the fields
  Fields fields = {};
  bool operator==(const Cohort&) const = default;
};

[[nodiscard]] std::string cohort_id(const Fields& fields);

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

// Load by other programs during the cases of a night, kept with the run to annotate points of
// series.

void set_busy(TrackedRun& run, std::string_view case_id, const estimate::BusyMachine& busy);
// nullopt: not busy, or added before this was recorded.
[[nodiscard]] std::optional<estimate::BusyMachine> busy_of(const TrackedRun& run,
                                                           std::string_view case_id);

// The options `track` of an experiment: which metrics get a history, and the change of a series
// that does not matter.

inline constexpr double kMargin = .01;

// Returns shares by series metric ("step_ns"), as set by the case's options for the metrics common
// to all cases. Throws ConfigError with the option's name.
[[nodiscard]] std::map<std::string, double> margins_of(const OptionValues& options);

void set_margin(TrackedRun& run, std::string_view case_id, std::string_view metric, double share);

class RunMargins {
 public:
  explicit RunMargins(const TrackedRun& run);
  // kMargin unless the case sets it.
  [[nodiscard]] double of(const TrackedSeries& series) const;

 private:
  std::map<std::pair<std::string, std::string>, double> shares_;  // by case and metric
};

// Parses "step_p99=5% samples_per_s": names as in `list metrics`, separated by blanks or commas,
// each with an optional margin. Omits the metrics that every case has, the step and its memory
// peak. Throws ConfigError for track.metrics, as tested_metrics() does.
[[nodiscard]] std::vector<verdict::TestedMetric> tracked_metrics(
    std::string_view names, const std::vector<Metric>& columns);

// Tonight's new series with the most similar known series, and why points that seem to belong to
// one series form two, or a series begins a new segment.

// `tonight`: ids of tonight's runs.
[[nodiscard]] std::vector<std::string> new_series_notes(const History& history,
                                                        std::span<const std::string> tonight);

struct FieldSplit {
  std::string field = {};  // "cpu.model", "torch", "loader.num_workers", "metric"
  std::string a = {};      // "-": none; "default": option not set
  std::string b = {};
};

// Differences between the series' ids, with case options spelled out. Empty for one series.
[[nodiscard]] std::vector<FieldSplit> identity_splits(const TrackedSeries& a,
                                                      const TrackedSeries& b);

// Compares two cohorts by id; one that is not in the history counts as empty.
[[nodiscard]] std::vector<FieldSplit> cohort_splits(const History& history, const std::string& a,
                                                    const std::string& b);

// A change of cohort within a series.
struct SegmentBegin {
  std::size_t run = 0;  // first night after it: index into History::runs
  std::vector<FieldSplit> fields = {};
};
[[nodiscard]] std::vector<SegmentBegin> segment_begins(const History& history,
                                                       const SeriesHistory& series);

}  // namespace stepbench::nights
