// SPDX-License-Identifier: Apache-2.0
// What the launches of a case measured besides its steps, as one number each. Pure; any thread.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

struct MetricMedian {
  std::string_view name;  // in the Results
  double value = 0;       // in the metric's unit
};

// Over the measured launches that have it, of each metric that any of them has; by name.
[[nodiscard]] std::vector<MetricMedian> metric_medians(const CaseRow& row);

// The peak that says most of those that are `reported`: what the device's allocator held rather
// than what the process had. nullptr if there is none.
[[nodiscard]] const Metric* peak_metric(std::span<const Metric> columns,
                                        const std::function<bool(const std::string&)>& reported);

}  // namespace stepbench::estimate
