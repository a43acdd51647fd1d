// SPDX-License-Identifier: Apache-2.0
// Medians of the metrics of a case's launches other than step times. Pure; any thread.
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

// Median of each metric over the measured launches that report it; sorted by name.
[[nodiscard]] std::vector<MetricMedian> metric_medians(const CaseRow& row);

// Resolves `peak_bytes` for launches with these metrics: the peak of a device's allocator; else
// that of the job; else, for older files and scripts run alone, that of the training process. Empty
// if none is reported.
[[nodiscard]] std::string peak_name(const std::set<std::string>& metrics);
[[nodiscard]] std::string peak_name(std::span<const record::Launch* const> launches);

}  // namespace stepbench::estimate
