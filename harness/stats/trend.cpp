// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/trend.h"

#include <algorithm>
#include <cmath>

#include "harness/stats/autocorrelation.h"
#include "harness/stats/hodges_lehmann.h"
#include "harness/stats/order.h"

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

}  // namespace stepbench::stats
