// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/hodges_lehmann.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "harness/stats/rank_tests.h"

namespace stepbench::stats {
namespace {

constexpr Interval kWholeLine = {-std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::infinity()};

// The median of the values, and the `rank`-th smallest and largest of them: infinite for rank 0.
HodgesLehmann middle_and_ends(std::vector<double> values, std::size_t rank) {
  const std::size_t m = values.size();
  if (m == 0) return {std::numeric_limits<double>::quiet_NaN(), kWholeLine};
  // Selected from the outside in, each on what the one before left over.
  const auto at = [&](std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
  HodgesLehmann result{.interval = kWholeLine};
  const std::size_t k = std::min(rank, (m + 1) / 2);
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

// Of more values their averages, n (n + 1) / 2, are counted and not listed.
constexpr std::size_t kMaxListed = 200;

// Finite numbers in the order of whole ones.
std::int64_t place_of(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}

double value_at(std::int64_t place) {
  return std::bit_cast<double>(place >= 0 ? place
                                          : std::numeric_limits<std::int64_t>::min() - place);
}

// How many averages of two of the sorted values, each with itself too, are at most `limit`.
// Averages rise with either value, rounded ones too.
std::size_t averages_up_to(std::span<const double> sorted, double limit) {
  std::size_t count = 0;
  std::size_t end = sorted.size();
  for (std::size_t i = 0; i < end; ++i) {
    while (end > i && (sorted[i] + sorted[end - 1]) / 2 > limit) --end;
    count += end - i;
  }
  return count;
}

// The k-th smallest average, from 0: the first number that so many averages reach.
double average_at(std::span<const double> sorted, std::size_t k) {
  std::int64_t low = place_of(sorted.front());
  std::int64_t high = place_of(sorted.back());
  while (low < high) {
    const std::int64_t middle = std::midpoint(low, high);
    averages_up_to(sorted, value_at(middle)) > k ? high = middle : low = middle + 1;
  }
  return value_at(low);
}

// As middle_and_ends() of all averages of two values, each with itself too.
HodgesLehmann middle_and_ends_of_averages(std::vector<double> values, std::size_t rank) {
  std::sort(values.begin(), values.end());
  const std::size_t m = values.size() * (values.size() + 1) / 2;
  const std::size_t k = std::min(rank, (m + 1) / 2);
  HodgesLehmann result{.interval = kWholeLine};
  if (k > 0) result.interval = {average_at(values, k - 1), average_at(values, m - k)};
  result.centre = average_at(values, m / 2);
  if (m % 2 == 0) result.centre = (average_at(values, m / 2 - 1) + result.centre) / 2;
  return result;
}

}  // namespace

HodgesLehmann hodges_lehmann(std::span<const double> differences, double confidence) {
  const std::size_t n = differences.size();
  if (n > kMaxListed &&
      std::ranges::all_of(differences, [](double each) { return std::isfinite(each); })) {
    return middle_and_ends_of_averages({differences.begin(), differences.end()},
                                       walsh_rank(n, 1 - confidence));
  }
  std::vector<double> walsh;
  walsh.reserve(n * (n + 1) / 2);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) walsh.push_back((differences[i] + differences[j]) / 2);
  }
  return middle_and_ends(std::move(walsh), walsh_rank(n, 1 - confidence));
}

HodgesLehmann hodges_lehmann(std::span<const double> x, std::span<const double> y,
                             double confidence) {
  std::vector<double> differences;
  differences.reserve(x.size() * y.size());
  for (const double before : x) {
    for (const double after : y) differences.push_back(after - before);
  }
  return middle_and_ends(std::move(differences),
                         difference_rank(x.size(), y.size(), 1 - confidence));
}

}  // namespace stepbench::stats
