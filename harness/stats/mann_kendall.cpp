// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/mann_kendall.h"

#include <cmath>

namespace stepbench {

MannKendall mann_kendall(std::span<const std::vector<double>> series) {
  MannKendall result;
  double variance = 0;
  for (const std::vector<double>& values : series) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t j = i + 1; j < values.size(); ++j) {
        result.s += values[j] > values[i] ? 1 : values[j] < values[i] ? -1 : 0;
      }
    }
    const auto n = static_cast<double>(values.size());
    variance += n * (n - 1) * (2 * n + 5) / 18;
  }
  const double beyond = std::abs(result.s) - 1;
  if (variance > 0 && beyond > 0) {
    result.p_two_sided = std::erfc(beyond / std::sqrt(2 * variance));
  }
  return result;
}

}  // namespace stepbench
