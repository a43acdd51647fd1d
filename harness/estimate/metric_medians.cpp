// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/metric_medians.h"

#include <algorithm>

#include "harness/stats/order.h"

namespace stepbench::estimate {

std::vector<MetricMedian> metric_medians(const CaseRow& row) {
  std::vector<MetricMedian> all;
  for (const MeasuredLaunch& each : row.measured) {
    for (const auto& [name, value] : each.launch->row.report.metrics) {
      if (value) all.push_back({name, *value});
    }
  }
  if (row.measured.size() < 2) return all;
  std::stable_sort(all.begin(), all.end(),
                   [](const MetricMedian& a, const MetricMedian& b) { return a.name < b.name; });
  std::vector<MetricMedian> medians;
  std::vector<double> values;
  for (std::size_t i = 0; i < all.size(); ++i) {
    values.push_back(all[i].value);
    if (i + 1 < all.size() && all[i + 1].name == all[i].name) continue;
    medians.push_back({all[i].name, stats::median(values)});
    values.clear();
  }
  return medians;
}

std::string peak_name(const std::set<std::string>& metrics) {
  for (const std::string& name : metrics) {
    if (name.starts_with("peak_") && name.ends_with("_bytes") && name != record::kProcessPeak) {
      return name;
    }
  }
  for (const std::string_view name : {record::kJobPeak, record::kProcessPeak}) {
    if (metrics.contains(std::string(name))) return std::string(name);
  }
  return {};
}

std::string peak_name(std::span<const record::Launch* const> launches) {
  std::set<std::string> metrics;
  for (const record::Launch* launch : launches) {
    for (const auto& [name, value] : launch->row.report.metrics) metrics.insert(name);
  }
  return peak_name(metrics);
}

}  // namespace stepbench::estimate
