// SPDX-License-Identifier: Apache-2.0
// Selects the metrics of a case to compare, with their values per launch.
#pragma once

#include <string>
#include <vector>

#include "harness/compare/case_pairs.h"
#include "harness/compare/judge.h"
#include "harness/compare/metric_values.h"
#include "harness/compare/tested_metrics.h"

namespace stepbench::compare {

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

}  // namespace stepbench::compare
