// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/theil_sen.h"

#include <vector>

#include "harness/stats/order.h"

namespace stepbench {

double theil_sen_slope(std::span<const double> series) {
  std::vector<double> slopes;
  slopes.reserve(series.size() * (series.size() - (series.empty() ? 0 : 1)) / 2);
  for (std::size_t i = 0; i < series.size(); ++i) {
    for (std::size_t j = i + 1; j < series.size(); ++j) {
      slopes.push_back((series[j] - series[i]) / static_cast<double>(j - i));
    }
  }
  return median(slopes);
}

}  // namespace stepbench
