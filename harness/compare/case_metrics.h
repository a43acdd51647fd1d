// SPDX-License-Identifier: Apache-2.0
// What of a case is compared, and its values per launch.
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
  bool primary = false;  // takes part in the correction for many tests
  PairedSamples samples = {};
  std::string note = {};  // what must be known of its values
};

// What is tested of a case: those of `tested` in their order and, by default, exact counts of which
// less or more is better when both sides have them. `columns`: of both sides; `values`: of `pair`.
[[nodiscard]] std::vector<MetricSamples> metric_samples(const CasePair& pair,
                                                        const MetricValues& values,
                                                        const std::vector<Metric>& columns,
                                                        const TestedMetrics& tested);

// What `peak_bytes` is of each side, where that says what it is.
struct PeakNames {
  std::string base;
  std::string candidate;
  [[nodiscard]] bool differ() const { return base != candidate; }
};
[[nodiscard]] PeakNames peak_names(const CasePair& pair);

// Of the tested metrics that the user named, the first that no launch of this case has at all;
// null: none.
[[nodiscard]] const TestedMetric* absent_metric(const CasePair& pair, const TestedMetrics& tested);

// Metrics of both sides by name. Throws ConfigError when one has another unit or direction in the
// candidate.
[[nodiscard]] std::vector<Metric> common_columns(const ComparisonSide& base,
                                                 const ComparisonSide& candidate);

}  // namespace stepbench::compare
