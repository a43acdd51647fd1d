// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/comparisons.h"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "harness/stats/order_statistics.h"

namespace stepbench::stats {

double cles(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> sorted(a.begin(), a.end());
  std::sort(sorted.begin(), sorted.end());
  std::size_t doubled = 0;  // twice the pairs a < b, with ties counted once
  for (const double value : b) {
    const auto [from, to] = std::equal_range(sorted.begin(), sorted.end(), value);
    doubled += static_cast<std::size_t>((from - sorted.begin()) + (to - sorted.begin()));
  }
  return static_cast<double>(doubled) / 2 /
         (static_cast<double>(a.size()) * static_cast<double>(b.size()));
}

double paired_cles(std::span<const double> differences) {
  if (differences.empty()) return std::numeric_limits<double>::quiet_NaN();
  double above = 0;
  for (const double d : differences) above += d > 0 ? 1 : d == 0 ? 0.5 : 0;
  return above / static_cast<double>(differences.size());
}

std::size_t pairs_needed(double effect, double sd, double margin) {
  constexpr double kPower = 1.959963984540054 + 0.8416212335729143;  // z.975 + z.8
  const double distance = std::max(std::abs(std::abs(effect) - margin), margin / 4);
  if (!(distance > 0)) return sd > 0 ? kMaxPairsNeeded + 1 : 0;
  const double pairs = std::ceil(1.05 * kPower * kPower * sd * sd / (distance * distance));
  if (!(pairs <= static_cast<double>(kMaxPairsNeeded))) return kMaxPairsNeeded + 1;
  return static_cast<std::size_t>(pairs);
}

namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double t_quantile(double degrees, double confidence) {
  return boost::math::quantile(
      boost::math::complement(boost::math::students_t(degrees), (1 - confidence) / 2));
}

// `error`: standard error of the ratio.
MeanRatio with_interval(double ratio, double error, double degrees, double confidence, double sd) {
  const double half = error > 0 ? t_quantile(degrees, confidence) * error : 0;
  return {.ratio = ratio, .interval = {ratio - half, ratio + half}, .sd = sd};
}

// Neither sample has a measurable error.
bool all_the_same(std::span<const double> a, std::span<const double> b) {
  const auto first = [&](double value) { return value == a.front(); };
  return std::all_of(a.begin(), a.end(), first) && std::all_of(b.begin(), b.end(), first);
}

}  // namespace

MeanRatio paired_mean_ratio(std::span<const double> a, std::span<const double> b,
                            double confidence) {
  const MeanRatio unknown{.ratio = 1, .interval = {-kUnbounded, kUnbounded}};
  const std::size_t n = std::min(a.size(), b.size());
  if (n < 2) return unknown;
  a = a.first(n);
  b = b.first(n);
  if (all_the_same(a, b)) return {.ratio = 1, .interval = {1, 1}};
  const double base = mean_of(a);
  const double ratio = mean_of(b) / base;
  if (!(base > 0) || !(ratio > 0) || !std::isfinite(ratio)) return unknown;
  std::vector<double> rest(n);
  for (std::size_t i = 0; i < n; ++i) rest[i] = (b[i] - ratio * a[i]) / base;
  const double sd = standard_deviation(rest);
  const auto size = static_cast<double>(n);
  return with_interval(ratio, sd / std::sqrt(size), size - 1, confidence, sd / ratio);
}

MeanRatio mean_ratio(std::span<const double> a, std::span<const double> b, double confidence) {
  const MeanRatio unknown{.ratio = 1, .interval = {-kUnbounded, kUnbounded}};
  if (a.size() < 2 || b.size() < 2) return unknown;
  if (all_the_same(a, b)) return {.ratio = 1, .interval = {1, 1}};
  const double base = mean_of(a);
  const double ratio = mean_of(b) / base;
  if (!(base > 0) || !(ratio > 0) || !std::isfinite(ratio)) return unknown;
  const double spread_a = ratio * standard_deviation(a) / base;
  const double spread_b = standard_deviation(b) / base;
  const auto size_a = static_cast<double>(a.size());
  const auto size_b = static_cast<double>(b.size());
  const double share_a = spread_a * spread_a / size_a;
  const double share_b = spread_b * spread_b / size_b;
  const double variance = share_a + share_b;
  const double degrees =
      variance * variance / (share_a * share_a / (size_a - 1) + share_b * share_b / (size_b - 1));
  return with_interval(ratio, std::sqrt(variance), degrees, confidence,
                       std::hypot(spread_a, spread_b) / ratio);
}

}  // namespace stepbench::stats
