// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/block_means.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "harness/stats/lag_1.h"

namespace stepbench {

std::vector<double> block_means(std::span<const std::int64_t> series, std::size_t length) {
  const std::size_t blocks = series.size() / length;
  std::vector<double> means(blocks);
  series = series.last(blocks * length);
  for (double& mean : means) {
    const auto block = series.first(length);
    const std::int64_t sum = std::accumulate(block.begin(), block.end(), std::int64_t{0});
    mean = static_cast<double>(sum) / static_cast<double>(length);
    series = series.subspan(length);
  }
  return means;
}

double spread_of_mean(std::span<const double> block_means) {
  constexpr std::size_t kLeast = 6;
  if (block_means.size() < kLeast) return std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<double>(block_means.size());
  const double mean = std::accumulate(block_means.begin(), block_means.end(), 0.0) / n;
  double squares = 0;
  for (const double each : block_means) squares += (each - mean) * (each - mean);
  return std::sqrt(squares / (n - 1) / n) / mean * inflation(lag_1(block_means));
}

}  // namespace stepbench
