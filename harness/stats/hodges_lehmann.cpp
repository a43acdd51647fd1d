// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/hodges_lehmann.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "harness/stats/rank_tests.h"

namespace stepbench::stats {
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
