// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/signed_rank.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "harness/stats/ranks.h"

namespace stepbench {
namespace {

constexpr std::size_t kMaxExactPairs = 50;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Number of subsets of `weights` with each sum 0..total; exact in double, as 2^50 < 2^53.
std::vector<double> subset_counts(std::span<const std::size_t> weights) {
  std::size_t total = 0;
  std::vector<double> counts(1, 1.0);
  for (const std::size_t weight : weights) {
    total += weight;
    counts.resize(total + 1, 0.0);
    for (std::size_t sum = total; sum >= weight; --sum) counts[sum] += counts[sum - weight];
  }
  return counts;
}

}  // namespace

SignedRank signed_rank(std::span<const double> differences) {
  SignedRank result;
  std::vector<double> kept;
  kept.reserve(differences.size());
  for (const double d : differences) {
    if (d != 0) kept.push_back(d);
  }
  result.n = kept.size();
  result.zeros = differences.size() - kept.size();
  if (kept.empty()) return result;

  std::vector<double> sizes(kept);
  for (double& size : sizes) size = std::abs(size);
  const MidRanks ranks = mid_ranks(sizes);
  std::size_t doubled_w = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] > 0) doubled_w += ranks.doubled[i];
  }
  const std::size_t doubled_total = kept.size() * (kept.size() + 1);
  result.w = static_cast<double>(doubled_w) / 2;

  if (kept.size() <= kMaxExactPairs) {
    const std::vector<double> counts = subset_counts(ranks.doubled);
    const double scale = std::ldexp(1.0, -static_cast<int>(kept.size()));
    const std::size_t smaller = std::min(doubled_w, doubled_total - doubled_w);
    double below = 0;
    for (std::size_t s = 0; s <= smaller; ++s) below += counts[s];
    double above = 0;
    for (std::size_t s = doubled_w; s <= doubled_total; ++s) above += counts[s];
    result.p_two_sided = std::min(1.0, 2 * below * scale);
    result.p_greater = above * scale;
    return result;
  }
  const auto n = static_cast<double>(kept.size());
  const double half = n * (n + 1) / 4;
  const double sd = std::sqrt(n * (n + 1) * (2 * n + 1) / 24 - ranks.tie_correction / 48);
  result.p_two_sided = std::min(1.0, 2 * normal_upper_tail((std::abs(result.w - half) - 0.5) / sd));
  result.p_greater = normal_upper_tail((result.w - half - 0.5) / sd);
  return result;
}

std::size_t walsh_rank(std::size_t n, double alpha) {
  if (n == 0) return 0;
  if (n > kMaxExactPairs) {
    const auto size = static_cast<double>(n);
    const double z =
        boost::math::quantile(boost::math::complement(boost::math::normal(), alpha / 2));
    const double k = size * (size + 1) / 4 - z * std::sqrt(size * (size + 1) * (2 * size + 1) / 24);
    return static_cast<std::size_t>(std::max(1.0, std::floor(k)));
  }
  std::vector<std::size_t> weights(n);
  for (std::size_t i = 0; i < n; ++i) weights[i] = i + 1;
  const std::vector<double> counts = subset_counts(weights);
  const double limit = std::ldexp(alpha / 2, static_cast<int>(n));
  double below = 0;
  std::size_t k = 0;
  while (k < counts.size() && below + counts[k] <= limit) below += counts[k++];
  return k;
}

HodgesLehmann hodges_lehmann(std::span<const double> differences, double confidence) {
  const std::size_t n = differences.size();
  if (n == 0) return {std::numeric_limits<double>::quiet_NaN(), {-kInfinity, kInfinity}};
  std::vector<double> walsh;
  walsh.reserve(n * (n + 1) / 2);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) walsh.push_back((differences[i] + differences[j]) / 2);
  }
  const std::size_t m = walsh.size();
  // Selected from the outside in, each on what the one before left over.
  const auto at = [&](std::size_t i) { return walsh.begin() + static_cast<std::ptrdiff_t>(i); };
  HodgesLehmann result{.interval = {-kInfinity, kInfinity}};
  const std::size_t k = std::min(walsh_rank(n, 1 - confidence), (m + 1) / 2);
  std::size_t first = 0;
  std::size_t last = m;
  if (k > 0) {
    std::nth_element(at(0), at(k - 1), at(m));
    result.interval.low = *at(k - 1);
    std::nth_element(at(k - 1), at(m - k), at(m));
    result.interval.high = *at(m - k);
    first = k - 1;
    last = m - k + 1;
  }
  std::nth_element(at(first), at(m / 2), at(last));
  result.centre = *at(m / 2);
  if (m % 2 == 0) {
    result.centre = (*std::max_element(at(first), at(m / 2)) + result.centre) / 2;
  }
  return result;
}

std::size_t sign_rank(std::size_t n, double alpha) {
  double probability = std::ldexp(1.0, -static_cast<int>(n));
  double below = 0;
  std::size_t k = 0;
  while (2 * k < n && below + probability <= alpha / 2) {
    below += probability;
    probability *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    ++k;
  }
  return k;
}

Interval sign_interval(std::span<const double> differences, double confidence) {
  const std::size_t k = sign_rank(differences.size(), 1 - confidence);
  if (k == 0) return {-kInfinity, kInfinity};
  std::vector<double> sorted(differences.begin(), differences.end());
  std::sort(sorted.begin(), sorted.end());
  return {sorted[k - 1], sorted[sorted.size() - k]};
}

}  // namespace stepbench
