// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/lag_1.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/stats/order.h"
#include "harness/stats/theil_sen.h"

namespace stepbench {

double lag_1(std::span<const double> series) {
  constexpr std::size_t kLeast = 6;
  constexpr double kMost = 0.95;
  constexpr double kFence = 3;
  if (series.size() < kLeast) return 0;
  const double slope = theil_sen_slope(series);
  std::vector<double> rest(series.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    rest[i] = series[i] - slope * static_cast<double>(i);
  }
  const double centre = median(rest);
  const double fence = kFence * robust_sd(rest);
  for (double& value : rest) value = std::clamp(value - centre, -fence, fence);
  const auto n = static_cast<double>(rest.size());
  const double mean = std::accumulate(rest.begin(), rest.end(), 0.0) / n;
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    rest[i] -= mean;
    squares += rest[i] * rest[i];
    if (i > 0) products += rest[i] * rest[i - 1];
  }
  if (!(squares > 0)) return 0;
  const double seen = products / squares;
  return std::clamp(seen + (2 + 4 * seen) / n, 0.0, kMost);  // bias with a line taken out
}

double inflation(double lag_1) { return std::sqrt((1 + lag_1) / (1 - lag_1)); }

}  // namespace stepbench
