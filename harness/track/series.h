// SPDX-License-Identifier: Apache-2.0
// Defines which points of different nights form a series, and which of its points are comparable.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/option_values.h"
#include "harness/base/value.h"
#include "harness/catalogue/catalogue.h"

namespace stepbench::track {

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

}  // namespace stepbench::track
