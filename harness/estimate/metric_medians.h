// SPDX-License-Identifier: Apache-2.0
// What the launches of a case measured besides its steps, as one number each. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

struct MetricMedian {
  std::string_view name;  // in the Results
  double value = 0;       // in the metric's unit
};

// Over the measured launches that have it, of each metric that any of them has; by name.
[[nodiscard]] std::vector<MetricMedian> metric_medians(const CaseRow& row);

}  // namespace stepbench::estimate
