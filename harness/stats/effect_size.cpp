// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/effect_size.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

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

}  // namespace stepbench::stats
