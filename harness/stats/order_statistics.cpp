// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/order_statistics.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stepbench::stats {
namespace {

std::vector<double> sorted_copy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double median_in_place(std::vector<double>& values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

// P(Bin(n, 1/2) = k), by products that neither overflow nor underflow near the middle.
double binomial_half(std::size_t n, std::size_t k) {
  double probability = 1;
  std::size_t halvings = n;
  for (std::size_t i = 1; i <= k; ++i) {
    probability *= static_cast<double>(n - k + i) / static_cast<double>(i);
    while (probability > 1 && halvings > 0) {
      probability /= 2;
      --halvings;
    }
  }
  return std::ldexp(probability, -static_cast<int>(halvings));
}

}  // namespace

double median(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  return median_in_place(copy);
}

double quantile_of_sorted(std::span<const double> sorted, double q) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double h = static_cast<double>(sorted.size() - 1) * q;
  const auto below = static_cast<std::size_t>(h);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (h - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

double quantile(std::span<const double> values, double q) {
  return quantile_of_sorted(sorted_copy(values), q);
}

double interquartile_range(std::span<const double> values) {
  const std::vector<double> sorted = sorted_copy(values);
  return quantile_of_sorted(sorted, 0.75) - quantile_of_sorted(sorted, 0.25);
}

double standard_deviation(std::span<const double> values) {
  double mean = 0;
  for (const double value : values) mean += value;
  mean /= static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return values.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double robust_sd(std::span<const double> values) {
  const double centre = median(values);
  std::vector<double> distances(values.begin(), values.end());
  for (double& value : distances) value = std::abs(value - centre);
  return 1.4826 * median_in_place(distances);
}

Ranks median_ranks(std::size_t n, double confidence) {
  // Outcome k = number of values below the median, which puts it between ranks k and k + 1.
  const auto size = static_cast<std::ptrdiff_t>(n);
  std::ptrdiff_t low = (size + 2) / 2 - 1;
  std::ptrdiff_t high = low;
  double at_low = binomial_half(n, static_cast<std::size_t>(low));
  double at_high = at_low;
  double mass = at_low;
  while (mass < confidence && (low > 0 || high < size)) {
    const bool lower_is_likelier = size - 2 * (low - 1) <= 2 * (high + 1) - size;
    if (low > 0 && lower_is_likelier) {
      at_low *= static_cast<double>(low) / static_cast<double>(size - low + 1);
      mass += at_low;
      --low;
    } else {
      at_high *= static_cast<double>(size - high) / static_cast<double>(high + 1);
      mass += at_high;
      ++high;
    }
  }
  return {static_cast<std::size_t>(low), static_cast<std::size_t>(high + 1)};
}

std::optional<Interval> median_interval(std::span<const double> values, double confidence) {
  const Ranks ranks = median_ranks(values.size(), confidence);
  if (ranks.low == 0 || ranks.high > values.size()) return std::nullopt;
  const std::vector<double> sorted = sorted_copy(values);
  return Interval{sorted[ranks.low - 1], sorted[ranks.high - 1]};
}

namespace {

using Groups = std::span<const std::span<const double>>;

// Variance of the share at or below `at`, relative to that of independent values.
double design_effect(Groups groups, double at, double q, double n) {
  double sum = 0;
  for (const auto& group : groups) {
    const auto below = std::count_if(group.begin(), group.end(), [&](double x) { return x <= at; });
    const double size = static_cast<double>(group.size());
    const double difference = static_cast<double>(below) - size * q;
    sum += difference * difference;
  }
  const double count = static_cast<double>(groups.size());
  const double variance = count / (count - 1) * sum / (n * n);
  return std::max(1.0, variance / (q * (1 - q) / n));
}

// Ranks of the order statistics that contain the quantile of `n` independent values, with an error
// of at most `tail` per end.
Ranks quantile_ranks(double n, double q, double tail) {
  const boost::math::binomial_distribution<> below(n, q);
  const auto at_most = [&](double k) { return k < 0 ? 0 : cdf(below, k); };
  const auto at_least = [&](double k) { return k > n ? 0 : cdf(complement(below, k - 1)); };
  double low = std::floor(quantile(below, tail));
  while (low > 0 && at_most(low - 1) > tail) --low;
  double high = std::ceil(quantile(complement(below, tail)));
  while (high <= n && (high < 1 || at_least(high) > tail)) ++high;
  return {static_cast<std::size_t>(low), static_cast<std::size_t>(high)};
}

}  // namespace

std::optional<GroupedQuantile> grouped_quantile(Groups groups, double q, double confidence) {
  if (groups.size() < 2) return std::nullopt;
  std::vector<double> all;
  for (const auto& group : groups) {
    if (group.empty()) return std::nullopt;
    all.insert(all.end(), group.begin(), group.end());
  }
  std::sort(all.begin(), all.end());
  const double n = static_cast<double>(all.size());
  GroupedQuantile out{.value = quantile_of_sorted(all, q)};
  const double tail = (1 - confidence) / 2;
  const double t = boost::math::quantile(
      boost::math::students_t(static_cast<double>(groups.size() - 1)), 1 - tail);
  const double z = boost::math::quantile(boost::math::normal(), 1 - tail);
  const double worth = std::floor(n / design_effect(groups, out.value, q, n) * (z / t) * (z / t));
  if (worth < 1) return out;
  const Ranks ranks = quantile_ranks(worth, q, tail);
  const double spread = (n + 1) / (worth + 1);
  const auto at_rank = [&](double rank) { return all[static_cast<std::size_t>(rank) - 1]; };
  if (ranks.low > 0) out.low = at_rank(std::floor(static_cast<double>(ranks.low) * spread));
  const double high = static_cast<double>(ranks.high);
  if (high <= worth) out.high = at_rank(std::min(n, std::ceil(high * spread)));
  return out;
}

}  // namespace stepbench::stats
