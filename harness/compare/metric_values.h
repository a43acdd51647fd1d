// SPDX-License-Identifier: Apache-2.0
// Values of a metric in each launch of both sides of a case. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/compare/case_pairs.h"
#include "harness/compare/tested_metrics.h"
#include "harness/estimate/step_times.h"

namespace stepbench::compare {

// Reads the launches once for all metrics. `pair` must outlive it.
class MetricValues {
 public:
  explicit MetricValues(const CasePair& pair);

  struct Sides {
    std::vector<double> base;  // one per measured launch; NaN if it lacks the value
    std::vector<double> candidate;
  };
  // Not for a peak: the metric that it stands for depends on both sides.
  [[nodiscard]] Sides of(const TestedMetric& metric) const;
  // Values of the metric of this name that the workloads report.
  [[nodiscard]] Sides reported(std::string_view metric) const;

  [[nodiscard]] const estimate::StepTimes& steps() const { return steps_; }
  [[nodiscard]] bool is_latency() const { return steps_.latency; }
  // Some launches have device times and others do not: the latter have no value.
  [[nodiscard]] bool is_mixed() const { return steps_.mixed; }
  // Device times of the two sides mean different things, so the host's clock is used.
  [[nodiscard]] bool has_device_spans() const { return steps_.spans; }
  // A launch has an MFU above 1, which is invalid.
  [[nodiscard]] bool refuses_mfu() const;
  // Smallest number of steps of a launch; 0 without launches.
  [[nodiscard]] std::int64_t fewest_steps() const;

 private:
  struct Read {
    const record::Launch* launch = nullptr;
    std::optional<estimate::LaunchEstimate> estimate;
  };
  template <typename Value>
  [[nodiscard]] Sides both(Value value_of) const;

  std::vector<Read> base_;
  std::vector<Read> candidate_;
  estimate::StepTimes steps_;
};

}  // namespace stepbench::compare
