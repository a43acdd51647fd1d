// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/mean_ratio.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "harness/stats/order.h"

namespace stepbench::stats {
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
