// SPDX-License-Identifier: Apache-2.0
// The value of a metric in each launch of the two sides of a case. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/compare/case_pairs.h"
#include "harness/compare/tested_metrics.h"
#include "harness/estimate/step_times.h"

namespace stepbench::compare {

// Reads the launches once for all metrics. `pair` outlives it.
class MetricValues {
 public:
  explicit MetricValues(const CasePair& pair);

  struct Sides {
    std::vector<double> base;  // one for each measured launch; NaN: it has no such number
    std::vector<double> candidate;
  };
  // Not of a peak: which metric that is depends on both sides.
  [[nodiscard]] Sides of(const TestedMetric& metric) const;
  // The metric of this name among those that the workloads report.
  [[nodiscard]] Sides reported(std::string_view metric) const;

  [[nodiscard]] const estimate::StepTimes& steps() const { return steps_; }
  [[nodiscard]] bool is_latency() const { return steps_.latency; }
  // Some launches have times on the device and others not: these have no value.
  [[nodiscard]] bool is_mixed() const { return steps_.mixed; }
  // Device times of the two sides mean different things: the host's clock is taken.
  [[nodiscard]] bool has_device_spans() const { return steps_.spans; }
  // A launch has an MFU above 1, which is no value.
  [[nodiscard]] bool refuses_mfu() const;
  // Of the launch that has the fewest; 0 without launches.
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
