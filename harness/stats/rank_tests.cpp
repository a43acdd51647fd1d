// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/comparisons.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

namespace stepbench::stats {
namespace {

// Ranks from 1, times two; tied values get their mean rank. Doubling makes them integers, so that
// sums are exact.
struct MidRanks {
  // In input order.
  std::vector<std::size_t> doubled;
  // Sizes of tie groups, ascending by value.
  std::vector<std::size_t> group_sizes;
  // Sum of t^3 - t over the groups.
  double tie_correction = 0;
};

MidRanks mid_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  MidRanks result;
  result.doubled.resize(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    // Twice the mean of ranks first + 1 .. last + 1.
    for (std::size_t i = first; i <= last; ++i) result.doubled[order[i]] = first + last + 2;
    const auto size = static_cast<double>(last - first + 1);
    result.group_sizes.push_back(last - first + 1);
    result.tie_correction += size * size * size - size;
    first = last + 1;
  }
  return result;
}

// P(Z > z) of a standard normal Z.
double normal_upper_tail(double z) {
  return boost::math::cdf(boost::math::complement(boost::math::normal(), z));
}

constexpr std::size_t kMaxExactPairs = 50;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Number of subsets of `weights` for each sum 0..most; exact in double, as 2^50 < 2^53.
std::vector<double> subset_counts(std::span<const std::size_t> weights, std::size_t most) {
  std::size_t total = 0;
  std::vector<double> counts(most + 1, 0.0);
  counts[0] = 1;
  for (const std::size_t weight : weights) {
    total += weight;
    for (std::size_t sum = std::min(total, most); sum >= weight; --sum) {
      counts[sum] += counts[sum - weight];
    }
  }
  return counts;
}

constexpr std::size_t kMaxExactSamples = 50;

// At most C(100, 50) < 2^97 arrangements: exact, even if a subtraction wraps below zero.
__extension__ using Wide = unsigned __int128;

double arrangements_of(std::size_t m, std::size_t n) {
  Wide arrangements = 1;
  for (std::size_t i = 1; i <= m; ++i) arrangements = arrangements * (n + i) / i;
  return static_cast<double>(arrangements);
}

// Number of arrangements of two untied samples for each U = 0..most: the coefficients of the
// Gaussian binomial, the product over i = 1..m of (1 - q^(n+i)) / (1 - q^i).
std::vector<Wide> untied_counts(std::size_t m, std::size_t n, std::size_t most) {
  std::vector<Wide> counts(most + 1, Wide{0});
  counts[0] = 1;
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t s = most; s >= n + i; --s) counts[s] -= counts[s - n - i];
    for (std::size_t s = i; s <= most; ++s) counts[s] += counts[s - i];
  }
  return counts;
}

// P(U <= u) without ties.
double untied_at_most(std::size_t m, std::size_t n, std::size_t u) {
  Wide below = 0;
  for (const Wide count : untied_counts(m, n, u)) below += count;
  return static_cast<double>(below) / arrangements_of(m, n);
}

// P(twice the rank sum of m of the N values <= most), given the tie groups. ways[k][s] = number of
// choices of k values with doubled sum s; all terms are positive, so double keeps 14 digits.
double tied_at_most(const MidRanks& ranks, std::size_t m, std::size_t most) {
  const std::size_t width = most + 1;
  std::vector<double> ways((m + 1) * width, 0.0);
  ways[0] = 1;
  const std::size_t all = ranks.doubled.size();
  std::size_t seen = 0;
  for (const std::size_t size : ranks.group_sizes) {
    const std::size_t doubled_rank = 2 * seen + size + 1;
    const std::size_t after = seen + size;
    // In place, from large k to small, so that entries read do not include this group yet.
    for (std::size_t k = std::min(m, after); k > 0; --k) {
      // Lower bound for the values still to be chosen: sums that would exceed `most` are not
      // needed.
      const std::size_t rest = m - k;
      if (rest > all - after) break;
      const std::size_t least = rest * (2 * after + rest + 1);
      if (least > most) continue;
      const std::size_t top = most - least;
      double choices = 1;
      for (std::size_t j = 1; j <= std::min(k, size); ++j) {
        choices = choices * static_cast<double>(size - j + 1) / static_cast<double>(j);
        const std::size_t shift = j * doubled_rank;
        const std::size_t chosen = k - j;  // before this group, with these sums
        if (shift > top || chosen > seen) continue;
        const std::size_t smallest = chosen * (chosen + 1);
        const std::size_t largest = std::min(top - shift, chosen * (2 * seen - chosen + 1));
        double* const to = &ways[k * width + shift];
        const double* const from = &ways[chosen * width];
        for (std::size_t s = smallest; s <= largest; ++s) to[s] += choices * from[s];
      }
    }
    seen = after;
  }
  double arrangements = 1;
  for (std::size_t i = 1; i <= m; ++i) {
    arrangements = arrangements * static_cast<double>(seen - m + i) / static_cast<double>(i);
  }
  double below = 0;
  for (std::size_t s = 0; s <= most; ++s) below += ways[m * width + s];
  return below / arrangements;
}

struct Pooled {
  std::size_t m, n;
  MidRanks ranks;
  std::size_t doubled_u = 0;

  Pooled(std::span<const double> x, std::span<const double> y) : m(x.size()), n(y.size()) {
    std::vector<double> values(x.begin(), x.end());
    values.insert(values.end(), y.begin(), y.end());
    ranks = mid_ranks(values);
    for (std::size_t i = 0; i < m; ++i) doubled_u += ranks.doubled[i];
    doubled_u -= m * (m + 1);
  }
  [[nodiscard]] std::size_t doubled_most() const { return 2 * m * n; }
  [[nodiscard]] bool tied() const { return ranks.group_sizes.size() < m + n; }
  [[nodiscard]] bool exact() const {
    return tied() ? m <= kMaxExactSamples && n <= kMaxExactSamples
                  : m * n <= kMaxExactSamples * kMaxExactSamples;
  }
  [[nodiscard]] bool all_equal() const { return ranks.group_sizes.size() == 1; }

  // P(2U <= doubled) for a sample of `chosen` values against the others.
  [[nodiscard]] double at_most(std::size_t chosen, std::size_t doubled) const {
    if (!tied()) return untied_at_most(chosen, m + n - chosen, doubled / 2);
    return tied_at_most(ranks, chosen, doubled + chosen * (chosen + 1));
  }
  [[nodiscard]] double excess() const {
    return (static_cast<double>(doubled_u) - static_cast<double>(m * n)) / 2;
  }
  [[nodiscard]] double sd() const {
    const auto total = static_cast<double>(m + n);
    return std::sqrt(static_cast<double>(m * n) / 12 *
                     (total + 1 - ranks.tie_correction / (total * (total - 1))));
  }
};

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
    const std::size_t smaller = std::min(doubled_w, doubled_total - doubled_w);
    const std::vector<double> counts = subset_counts(ranks.doubled, smaller);
    const double scale = std::ldexp(1.0, -static_cast<int>(kept.size()));
    const double below = std::accumulate(counts.begin(), counts.end(), 0.0);
    result.p_two_sided = std::min(1.0, 2 * below * scale);
    return result;
  }
  const auto n = static_cast<double>(kept.size());
  const double half = n * (n + 1) / 4;
  const double sd = std::sqrt(n * (n + 1) * (2 * n + 1) / 24 - ranks.tie_correction / 48);
  result.p_two_sided = std::min(1.0, 2 * normal_upper_tail((std::abs(result.w - half) - 0.5) / sd));
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
  const std::vector<double> counts = subset_counts(weights, n * (n + 1) / 4);
  const double limit = std::ldexp(alpha / 2, static_cast<int>(n));
  double below = 0;
  std::size_t k = 0;
  while (k < counts.size() && below + counts[k] <= limit) below += counts[k++];
  return k;
}

std::size_t difference_rank(std::size_t m, std::size_t n, double alpha) {
  if (m == 0 || n == 0) return 0;
  if (m * n > kMaxExactSamples * kMaxExactSamples) {
    const auto product = static_cast<double>(m * n);
    const double z =
        boost::math::quantile(boost::math::complement(boost::math::normal(), alpha / 2));
    const double k = product / 2 - z * std::sqrt(product * static_cast<double>(m + n + 1) / 12);
    return static_cast<std::size_t>(std::max(1.0, std::floor(k)));
  }
  const double limit = alpha / 2 * arrangements_of(m, n);
  const std::vector<Wide> counts = untied_counts(m, n, m * n / 2);
  double below = 0;
  std::size_t k = 0;
  while (k < counts.size() && below + static_cast<double>(counts[k]) <= limit) {
    below += static_cast<double>(counts[k++]);
  }
  return k;
}

std::size_t sign_rank(std::size_t n, double alpha) {
  if (n == 0) return 0;
  const boost::math::binomial law(static_cast<double>(n), 0.5);
  std::size_t rank = 0;
  std::size_t end = (n + 1) / 2;
  while (rank < end) {
    const std::size_t middle = rank + (end - rank) / 2;
    if (boost::math::cdf(law, static_cast<double>(middle)) <= alpha / 2) {
      rank = middle + 1;
    } else {
      end = middle;
    }
  }
  return rank;
}

Interval sign_interval(std::span<const double> differences, double confidence) {
  const std::size_t k = sign_rank(differences.size(), 1 - confidence);
  if (k == 0) return {-kInfinity, kInfinity};
  std::vector<double> sorted(differences.begin(), differences.end());
  std::sort(sorted.begin(), sorted.end());
  return {sorted[k - 1], sorted[sorted.size() - k]};
}

MannWhitney mann_whitney(std::span<const double> x, std::span<const double> y) {
  MannWhitney result;
  if (x.empty() || y.empty()) return result;
  const Pooled pooled(x, y);
  result.u = static_cast<double>(pooled.doubled_u) / 2;
  result.exact = pooled.exact();
  result.all_equal = pooled.all_equal();
  if (result.all_equal || 2 * pooled.doubled_u == pooled.doubled_most()) return result;
  if (result.exact) {
    const std::size_t smaller =
        std::min(pooled.doubled_u, pooled.doubled_most() - pooled.doubled_u);
    result.p_two_sided = std::min(1.0, 2 * pooled.at_most(pooled.m, smaller));
  } else {
    const double z = (std::abs(pooled.excess()) - 0.5) / pooled.sd();
    result.p_two_sided = std::min(1.0, 2 * normal_upper_tail(z));
  }
  return result;
}

double log_least_mann_whitney_p(std::size_t m, std::size_t n) {
  return std::min(0.0, std::numbers::ln2 - log_choose(m + n, m));
}

namespace {

constexpr Interval kWholeLine = {-std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::infinity()};

using Values = std::vector<double>;

Values in_order(std::span<const double> values) {
  Values sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// Maps doubles to integers of the same order, for bisection.
std::int64_t place_of(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}

double value_at(std::int64_t place) {
  return std::bit_cast<double>(place >= 0 ? place
                                          : std::numeric_limits<std::int64_t>::min() - place);
}

// Combinations of two values each, counted without listing them: there may be 10^10.
template <class CountUpTo>
class Combinations {
 public:
  // All `size` combinations lie between `ends`. `count_up_to(limit)`: how many are at most `limit`.
  Combinations(std::size_t size, Interval ends, CountUpTo count_up_to)
      : size_(size), ends_(ends), count_up_to_(count_up_to) {}

  // The median, and the `rank`-th smallest and largest; infinite for rank 0.
  [[nodiscard]] HodgesLehmann middle_and_ends(std::size_t rank) const {
    const std::size_t k = std::min(rank, (size_ + 1) / 2);
    HodgesLehmann result{.centre = at(size_ / 2), .interval = kWholeLine};
    if (size_ % 2 == 0) result.centre = (at(size_ / 2 - 1) + result.centre) / 2;
    if (k > 0) result.interval = {at(k - 1), at(size_ - k)};
    return result;
  }

 private:
  // The k-th smallest, from 0: the first number with more than k values at or below it.
  [[nodiscard]] double at(std::size_t k) const {
    std::int64_t low = place_of(ends_.low);
    std::int64_t high = place_of(ends_.high);
    while (low < high) {
      const std::int64_t middle = std::midpoint(low, high);
      count_up_to_(value_at(middle)) > k ? high = middle : low = middle + 1;
    }
    return value_at(low);
  }

  std::size_t size_;
  Interval ends_;
  CountUpTo count_up_to_;
};

constexpr HodgesLehmann kOfNothing = {std::numeric_limits<double>::quiet_NaN(), kWholeLine};

}  // namespace

HodgesLehmann hodges_lehmann(std::span<const double> differences, double confidence) {
  const std::size_t n = differences.size();
  if (n == 0) return kOfNothing;
  const Values sorted = in_order(differences);
  // Averages increase with either value, also after rounding.
  const auto averages_up_to = [&](double limit) {
    std::size_t count = 0;
    std::size_t end = n;
    for (std::size_t i = 0; i < end; ++i) {
      while (end > i && (sorted[i] + sorted[end - 1]) / 2 > limit) --end;
      count += end - i;
    }
    return count;
  };
  return Combinations(n * (n + 1) / 2, {sorted.front(), sorted.back()}, averages_up_to)
      .middle_and_ends(walsh_rank(n, 1 - confidence));
}

HodgesLehmann hodges_lehmann(std::span<const double> x, std::span<const double> y,
                             double confidence) {
  if (x.empty() || y.empty()) return kOfNothing;
  const Values before = in_order(x);
  const Values after = in_order(y);
  const auto differences_up_to = [&](double limit) {
    std::size_t count = 0;
    std::size_t end = 0;
    for (const double value : before) {
      while (end < after.size() && after[end] - value <= limit) ++end;
      count += end;
    }
    return count;
  };
  return Combinations(x.size() * y.size(),
                      {after.front() - before.back(), after.back() - before.front()},
                      differences_up_to)
      .middle_and_ends(difference_rank(x.size(), y.size(), 1 - confidence));
}

}  // namespace stepbench::stats
