// SPDX-License-Identifier: Apache-2.0
// Values of launches for comparisons and histories: a metric of one launch, NaN if it has none; the
// steps of two sides on a clock common to all of their launches; the medians over the launches of a
// case. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/internal/launch_estimate.h"
#include "harness/record/quality.h"

namespace stepbench::estimate {

// A launch and the clock on which it is compared with others.
struct ClockedLaunch {
  const record::Launch& launch;
  const LaunchEstimate& estimate;
  StepClock clock;
};

// Per step. Phases that the device does not see, such as the wait for data, use the host's clock.
[[nodiscard]] double phase_ns(const ClockedLaunch& of, std::string_view phase);
// Share of the step, by the host's clock.
[[nodiscard]] double phase_share(const LaunchEstimate& estimate, std::string_view phase);

// Mean over its steps of a column of samples.
[[nodiscard]] double column_mean(const record::Launch& launch, std::string_view name);
[[nodiscard]] double reported(const record::Launch& launch, std::string_view metric);
// Per-step value of a metric that is summed over the windows: launches may differ in their number
// of measured steps.
[[nodiscard]] double reported_per_step(const ClockedLaunch& of, std::string_view metric);

// Work per second.
[[nodiscard]] double work_rate(const ClockedLaunch& of, const std::optional<std::int64_t>& work);
// nullopt if the launch does not record its operations.
[[nodiscard]] std::optional<ModelRate> model_rate_of(const ClockedLaunch& of);

struct StepTimes {
  StepClock clock = StepClock::kHost;
  bool latency = false;  // the values are latencies: schedule.sync: step
  // Some launches have device times and others do not: there is no common clock, and the others
  // have no value.
  bool mixed = false;
  // Some launches record device spans of steps (files before 1.3), others the time from step to
  // step: all use the host's clock.
  bool spans = false;
  std::vector<double> base;  // headline_ns() of each launch; NaN if it has no steps
  std::vector<double> candidate;
};

using Estimates = std::vector<std::optional<LaunchEstimate>>;
[[nodiscard]] Estimates estimates_of(std::span<const record::Launch* const> launches);

[[nodiscard]] StepTimes step_times(const Estimates& base, const Estimates& candidate);
[[nodiscard]] StepTimes step_times(std::span<const record::Launch* const> base,
                                   std::span<const record::Launch* const> candidate);

struct MetricMedian {
  std::string_view name;  // in the Results
  double value = 0;       // in the metric's unit
};

// Median of each metric over the measured launches that report it; sorted by name.
[[nodiscard]] std::vector<MetricMedian> metric_medians(const CaseRow& row);

// Resolves `peak_bytes` for launches with these metrics: the peak of a device's allocator; else
// that of the job; else, for older files and scripts run alone, that of the training process. Empty
// if none is reported.
[[nodiscard]] std::string peak_name(const std::set<std::string>& metrics);
[[nodiscard]] std::string peak_name(std::span<const record::Launch* const> launches);

}  // namespace stepbench::estimate
