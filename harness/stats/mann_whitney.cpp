// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/mann_whitney.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "harness/stats/ranks.h"

namespace stepbench {
namespace {

constexpr std::size_t kMaxExactSamples = 50;

// At most C(100, 50) < 2^97 arrangements: exact, also where a subtraction passes below zero.
__extension__ using Wide = unsigned __int128;

// P(U <= u) without ties. The number of arrangements with a given U is a coefficient of the
// Gaussian binomial, the product over i = 1..m of (1 - q^(n+i)) / (1 - q^i).
double untied_at_most(std::size_t m, std::size_t n, std::size_t u) {
  std::vector<Wide> counts(u + 1, Wide{0});
  counts[0] = 1;
  Wide arrangements = 1;
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t s = u; s >= n + i; --s) counts[s] -= counts[s - n - i];
    for (std::size_t s = i; s <= u; ++s) counts[s] += counts[s - i];
    arrangements = arrangements * (n + i) / i;
  }
  Wide below = 0;
  for (const Wide count : counts) below += count;
  return static_cast<double>(below) / static_cast<double>(arrangements);
}

// P(twice the rank sum of m of the N values <= most), given the tie groups. ways[k][s] = choices of
// k values with doubled sum s; all terms are positive, so double keeps 14 digits.
double tied_at_most(const MidRanks& ranks, std::size_t m, std::size_t most) {
  const std::size_t width = most + 1;
  std::vector<double> ways((m + 1) * width, 0.0);
  ways[0] = 1;
  std::size_t seen = 0;
  for (const std::size_t size : ranks.group_sizes) {
    const std::size_t doubled_rank = 2 * seen + size + 1;
    // In place: from many chosen to few, so that what is read has not taken this group in yet.
    for (std::size_t k = std::min(m, seen + size); k > 0; --k) {
      double choices = 1;
      for (std::size_t j = 1; j <= std::min(k, size); ++j) {
        choices = choices * static_cast<double>(size - j + 1) / static_cast<double>(j);
        const std::size_t shift = j * doubled_rank;
        if (shift > most || k - j > seen) continue;
        double* const to = &ways[k * width + shift];
        const double* const from = &ways[(k - j) * width];
        for (std::size_t s = 0; s + shift <= most; ++s) to[s] += choices * from[s];
      }
    }
    seen += size;
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

double mann_whitney_p_greater(std::span<const double> x, std::span<const double> y) {
  if (x.empty() || y.empty()) return 1;
  const Pooled pooled(x, y);
  if (pooled.all_equal()) return 1;
  // U >= u for x is U <= mn - u for y.
  if (pooled.exact()) return pooled.at_most(pooled.n, pooled.doubled_most() - pooled.doubled_u);
  return normal_upper_tail((pooled.excess() - 0.5) / pooled.sd());
}

}  // namespace stepbench
