// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/ranks.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <numeric>

namespace stepbench {

MidRanks mid_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  MidRanks result;
  result.doubled.resize(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    // Ranks first + 1 .. last + 1; twice their mean.
    for (std::size_t i = first; i <= last; ++i) result.doubled[order[i]] = first + last + 2;
    const auto size = static_cast<double>(last - first + 1);
    result.group_sizes.push_back(last - first + 1);
    result.tie_correction += size * size * size - size;
    first = last + 1;
  }
  return result;
}

double normal_upper_tail(double z) {
  return boost::math::cdf(boost::math::complement(boost::math::normal(), z));
}

}  // namespace stepbench
