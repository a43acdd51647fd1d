// SPDX-License-Identifier: Apache-2.0
// Summary statistics of a sample of times or lengths. Steps of one process are not independent
// samples: these describe a trace and make no claim of significance. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

namespace stepbench::analyze {

// In the unit of the values; all zero for an empty sample.
struct Summary {
  std::int64_t n = 0;
  double min = 0;
  double mean = 0;
  double median = 0;
  double p90 = 0;
  double p95 = 0;
  double max = 0;
  double mad = 0;  // median |x - median|, not scaled
  double iqr = 0;  // interquartile range
};

[[nodiscard]] Summary summarise(std::vector<double> values);
[[nodiscard]] Summary summarise(const std::vector<std::int64_t>& values);

}  // namespace stepbench::analyze
