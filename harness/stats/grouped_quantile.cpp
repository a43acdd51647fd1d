// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/grouped_quantile.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

#include "harness/stats/order.h"

namespace stepbench::stats {
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
