// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/order.h"

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

}  // namespace stepbench::stats
