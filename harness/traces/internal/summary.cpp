// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/stats/order_statistics.h"

namespace stepbench::traces {

Summary summarise(std::vector<double> values) {
  Summary out;
  if (values.empty()) return out;
  std::ranges::sort(values);
  out.n = std::ssize(values);
  out.min = values.front();
  out.max = values.back();
  out.mean = std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
  out.median = stats::quantile_of_sorted(values, 0.5);
  out.p90 = stats::quantile_of_sorted(values, 0.9);
  out.p95 = stats::quantile_of_sorted(values, 0.95);
  out.iqr = stats::quantile_of_sorted(values, 0.75) - stats::quantile_of_sorted(values, 0.25);
  for (double& value : values) value = std::abs(value - out.median);
  out.mad = stats::median(values);
  return out;
}

Summary summarise(const std::vector<std::int64_t>& values) {
  return summarise(std::vector<double>(values.begin(), values.end()));
}

}  // namespace stepbench::traces
