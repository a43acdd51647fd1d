// SPDX-License-Identifier: Apache-2.0
// The metrics of a case that are compared, and their values in each launch of both sides. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"
#include "harness/verdict/internal/case_pairs.h"
#include "harness/verdict/internal/judge.h"
#include "harness/verdict/tested_metrics.h"

namespace stepbench::verdict {

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

struct MetricSamples {
  TestedMetric metric = {};
  bool primary = false;  // part of the multiple-testing correction
  PairedSamples samples = {};
  std::string note = {};  // remark about its values
};

// Returns the metrics to test: those of `tested` in their order and, by default, exact counts with
// a direction that both sides have. `columns`: of both sides. `values`: of `pair`.
[[nodiscard]] std::vector<MetricSamples> metric_samples(const CasePair& pair,
                                                        const MetricValues& values,
                                                        const std::vector<Metric>& columns,
                                                        const TestedMetrics& tested);

// The metric that `peak_bytes` stands for on each side, if it is known.
struct PeakNames {
  std::string base;
  std::string candidate;
  [[nodiscard]] bool differ() const { return base != candidate; }
};
[[nodiscard]] PeakNames peak_names(const CasePair& pair);

// The first metric named by the user that no launch of this case has; null if there is none.
[[nodiscard]] const TestedMetric* absent_metric(const CasePair& pair, const TestedMetrics& tested);

// Metrics of both sides by name. Throws ConfigError if the candidate has one with another unit or
// direction.
[[nodiscard]] std::vector<Metric> common_columns(const ComparisonSide& base,
                                                 const ComparisonSide& candidate);

}  // namespace stepbench::verdict
