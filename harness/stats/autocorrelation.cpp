// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/autocorrelation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "harness/stats/order.h"
#include "harness/stats/slope.h"

namespace stepbench::stats {

namespace {

struct Lag {
  double seen = 0;
  bool varies = false;
};

// Clamps outliers only.
Lag lag_of(std::vector<double> rest) {
  constexpr double kFence = 3;
  const double centre = median(rest);
  const double fence = kFence * robust_sd(rest);
  for (double& value : rest) value = std::clamp(value - centre, -fence, fence);
  const double mean =
      std::accumulate(rest.begin(), rest.end(), 0.0) / static_cast<double>(rest.size());
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    rest[i] -= mean;
    squares += rest[i] * rest[i];
    if (i > 0) products += rest[i] * rest[i - 1];
  }
  if (!(squares > 0)) return {};
  return {.seen = products / squares, .varies = true};
}

constexpr std::size_t kMinForLag = 6;
constexpr double kMaxLag = 0.95;

}  // namespace

double lag_1(std::span<const double> series) {
  if (series.size() < kMinForLag) return 0;
  const double slope = theil_sen_slope(series);
  std::vector<double> rest(series.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    rest[i] = series[i] - slope * static_cast<double>(i);
  }
  const auto n = static_cast<double>(rest.size());
  const Lag lag = lag_of(std::move(rest));
  if (!lag.varies) return 0;
  return std::clamp(lag.seen + (2 + 4 * lag.seen) / n, 0.0, kMaxLag);  // bias after detrending
}

double inflation(double lag_1) { return std::sqrt((1 + lag_1) / (1 - lag_1)); }

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
  constexpr std::size_t kMin = 6;
  if (block_means.size() < kMin) return std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<double>(block_means.size());
  const double mean = std::accumulate(block_means.begin(), block_means.end(), 0.0) / n;
  double squares = 0;
  for (const double each : block_means) squares += (each - mean) * (each - mean);
  return std::sqrt(squares / (n - 1) / n) / mean * inflation(lag_1(block_means));
}

}  // namespace stepbench::stats
