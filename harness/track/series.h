// SPDX-License-Identifier: Apache-2.0
// What makes points of different nights one series, and which of its points may be set beside each
// other. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/option_values.h"
#include "harness/base/value.h"
#include "harness/catalogue/catalogue.h"

namespace stepbench::track {

// The metrics of a case that have a history.
inline constexpr std::string_view kStepSeries = "step_ns";     // the headline: step or latency
inline constexpr std::string_view kPeakSeries = "peak_bytes";  // of the device's allocator or host
inline constexpr std::string_view kPhaseSeries = "phase.";     // "phase.data_wait"

// One metric of one case on one kind of machine, over the nights. The id is a digest of workload,
// case id, metric, the machine's kind and the `track.version` that the user raises when the same
// name has come to mean other work. Nothing that is read anew every night (a clock rate, free
// memory) is part of it, nor the worker's build: that is what the nights compare.
struct TrackedSeries {
  std::string id = {};
  std::string experiment = {};  // its name, as people know it: not part of the id; of the last run
  std::string workload = {};
  std::string case_id = {};
  std::string metric = {};  // kStepSeries, kPeakSeries, a phase: "phase.data_wait", or any other
  std::string unit = {};    // "ns", "bytes", or as its file says
  Direction direction = Direction::kNeither;
  bool screened = false;      // false: kept to explain others (phases), no alert comes from it
  bool control = false;       // of the control case, in the last run
  OptionValues options = {};  // of the case: those that differ from the defaults
  Fields machine = {};  // cpu.model, cpu_capability, GPU models and their count, track.version
  bool operator==(const TrackedSeries&) const = default;
};

// What a number of a metric is, and which way is better.
struct SeriesMetric {
  std::string unit = {};
  Direction direction = Direction::kLowerIsBetter;
};
// Of the metrics that every case has: the step and its phases, and the peak of memory.
[[nodiscard]] SeriesMetric kind_of_metric(std::string_view metric);
// No alert comes from phases: they explain others.
[[nodiscard]] bool is_screened(std::string_view metric);

[[nodiscard]] std::string series_id(const TrackedSeries& series);

// What may change under a series without making it another one: driver, torch, CUDA, cuDNN, kernel,
// allocator settings, clock policy, container, data set. A change of it starts a new segment:
// points on both sides are not set beside each other.
struct Cohort {
  std::string id = {};  // a digest of the fields
  Fields fields = {};
  bool operator==(const Cohort&) const = default;
};

[[nodiscard]] std::string cohort_id(const Fields& fields);

}  // namespace stepbench::track
