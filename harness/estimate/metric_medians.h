// SPDX-License-Identifier: Apache-2.0
// What the launches of a case measured besides its steps, as one number each. Pure; any thread.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/estimate/case_rows.h"
#include "harness/record/quality.h"

namespace stepbench::estimate {

struct MetricMedian {
  std::string_view name;  // in the Results
  double value = 0;       // in the metric's unit
};

// Over the measured launches that have it, of each metric that any of them has; by name.
[[nodiscard]] std::vector<MetricMedian> metric_medians(const CaseRow& row);

// What `peak_bytes` means to launches that have these metrics: the peak of a device's allocator;
// else that of the job, which older files and scripts run alone do not have: there of the process
// that trains. Empty: none.
[[nodiscard]] std::string peak_name(const std::set<std::string>& metrics);
[[nodiscard]] std::string peak_name(std::span<const record::Launch* const> launches);

}  // namespace stepbench::estimate
