// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/benjamini_hochberg.h"

#include <algorithm>
#include <cmath>

namespace stepbench::stats {

FalseDiscovery benjamini_hochberg(std::span<const double> p_values) {
  FalseDiscovery result;
  result.adjusted.assign(p_values.begin(), p_values.end());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    if (!std::isnan(p_values[i])) order.push_back(i);
  }
  result.family = order.size();
  result.not_a_number = p_values.size() - order.size();
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return p_values[a] != p_values[b] ? p_values[a] < p_values[b] : a < b;
  });
  double least = 1;
  for (std::size_t i = order.size(); i > 0; --i) {
    const double scaled = p_values[order[i - 1]] * static_cast<double>(order.size());
    least = std::min(least, scaled / static_cast<double>(i));
    result.adjusted[order[i - 1]] = least;
  }
  return result;
}

}  // namespace stepbench::stats
