// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/slope.h"

#include <cstddef>

#include "harness/stats/order.h"

namespace stepbench::stats {
namespace {

void add_slopes(std::span<const double> series, std::vector<double>& slopes) {
  for (std::size_t i = 0; i < series.size(); ++i) {
    for (std::size_t j = i + 1; j < series.size(); ++j) {
      slopes.push_back((series[j] - series[i]) / static_cast<double>(j - i));
    }
  }
}

}  // namespace

double theil_sen_slope(std::span<const double> series) {
  std::vector<double> slopes;
  slopes.reserve(series.size() * (series.size() - (series.empty() ? 0 : 1)) / 2);
  add_slopes(series, slopes);
  return median(slopes);
}

double pooled_theil_sen_slope(std::span<const std::vector<double>> series) {
  std::vector<double> slopes;
  for (const std::vector<double>& one : series) add_slopes(one, slopes);
  return median(slopes);
}

}  // namespace stepbench::stats
