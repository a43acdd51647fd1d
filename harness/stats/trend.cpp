// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/trend.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "harness/stats/comparisons.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::stats {
namespace {

constexpr std::size_t kMaxRuns = 20;
constexpr std::size_t kMinRuns = kMinForTrend / 3;

// Medians of `runs` runs of `length` values, aligned to the series' end.
std::vector<double> run_medians(std::span<const double> series, std::size_t runs,
                                std::size_t length) {
  series = series.last(runs * length);
  std::vector<double> medians(runs);
  for (std::size_t i = 0; i < runs; ++i) medians[i] = median(series.subspan(i * length, length));
  return medians;
}

// Autocorrelation of neighbouring runs in the last two thirds, beyond the reach of a warm-up.
double likeness(std::span<const double> series, std::size_t runs, std::size_t length) {
  std::vector<double> levels = run_medians(series, 2 * runs, length);
  for (double& level : levels) level = std::log(level);
  return lag_1(levels);
}

}  // namespace

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

Trend trend(std::span<const double> series, double margin, double confidence) {
  Trend result;
  const std::size_t third = series.size() / 3;
  if (third < kMinRuns) return result;
  if (std::any_of(series.begin(), series.end(), [](double value) { return !(value > 0); })) {
    return result;
  }
  const std::size_t runs = std::min(kMaxRuns, third);
  const std::size_t length = third / runs;
  // Drops a third's surplus values at its inner end, because a warm-up is at the outer end.
  const std::vector<double> first = run_medians(series.first(runs * length), runs, length);
  const std::vector<double> last = run_medians(series.last(third), runs, length);
  std::vector<double> differences(runs);
  for (std::size_t i = 0; i < runs; ++i) differences[i] = std::log(last[i] / first[i]);
  const HodgesLehmann estimate = hodges_lehmann(differences, confidence);
  const double wider = inflation(likeness(series, runs, length));
  const auto widened = [&](double end) {
    return std::expm1(estimate.centre + wider * (end - estimate.centre));
  };
  result.known = true;
  result.change = std::expm1(estimate.centre);
  result.interval = {widened(estimate.interval.low), widened(estimate.interval.high)};
  result.moving = result.interval.low > margin || result.interval.high < -margin;

  const double level = median(last);
  const auto [low, high] = std::minmax_element(last.begin(), last.end());
  const double least = std::min(*low, level * (1 - margin));
  const double most = std::max(*high, level * (1 + margin));
  std::size_t steady = series.size() - runs * length;
  while (steady >= length) {
    const double run = median(series.subspan(steady - length, length));
    if (run < least || run > most) break;
    steady -= length;
  }
  result.steady_from = steady < length ? 0 : steady;
  return result;
}

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
