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

const Metric* peak_metric(std::span<const Metric> columns,
                          const std::function<bool(const std::string&)>& reported) {
  const Metric* best = nullptr;
  for (const Metric& metric : columns) {
    if (!metric.name.starts_with("peak_") || metric.unit != "bytes") continue;
    if (!reported(metric.name)) continue;
    if (best == nullptr || best->name == "peak_rss_bytes") best = &metric;
  }
  return best;
}

}  // namespace stepbench::estimate
