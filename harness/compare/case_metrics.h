// SPDX-License-Identifier: Apache-2.0
// What of a case is compared, and its values per launch.
#pragma once

#include <string>
#include <vector>

#include "harness/compare/case_pairs.h"
#include "harness/compare/judge.h"

namespace stepbench {

struct Margins {
  double step = 0.01;
  // Unset: none at all where every launch of an arm has the same peak, else 1 %: what the operating
  // system counts varies by pages, an allocator's peak does not.
  std::optional<double> peak_bytes = {};
};

struct MetricSamples {
  std::string name;    // "step", "peak_bytes", or a count's own name
  std::string metric;  // by which it stands in the result file
  std::string unit;
  bool primary = false;  // takes part in the correction for many tests
  PairedSamples samples;
  std::string note = {};  // what must be known of its values
};

// `columns`: of both sides. The step time comes first and is always asked for; the peak when a side
// has one, exact counts of which less or more is better when both have them.
[[nodiscard]] std::vector<MetricSamples> metric_samples(const CasePair& pair,
                                                        const std::vector<Metric>& columns,
                                                        const Margins& margins);

// Metrics of both sides by name. Throws ConfigError when one has another unit or direction in the
// candidate.
[[nodiscard]] std::vector<Metric> common_columns(const ComparisonSide& base,
                                                 const ComparisonSide& candidate);

}  // namespace stepbench
