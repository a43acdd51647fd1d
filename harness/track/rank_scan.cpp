// SPDX-License-Identifier: Apache-2.0
#include "harness/track/rank_scan.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace stepbench::track {

RankShift rank_scan(std::span<const double> values, std::size_t min_length) {
  RankShift best;
  const std::size_t n = values.size();
  if (n < 2 * min_length) return best;
  std::int64_t signs = 0;  // over pairs (i, j) with i < index <= j
  for (std::size_t index = 1; index + min_length <= n; ++index) {
    // One value moves from the right of the split to its left.
    const double moved = values[index - 1];
    for (std::size_t i = 0; i + 1 < index; ++i) {
      signs -= (moved > values[i]) - (moved < values[i]);
    }
    for (std::size_t j = index; j < n; ++j) {
      signs += (values[j] > moved) - (values[j] < moved);
    }
    if (index < min_length) continue;
    const auto variance = static_cast<double>(index * (n - index) * (n + 1)) / 3;
    const double z = static_cast<double>(signs) / std::sqrt(variance);
    if (std::abs(z) > std::abs(best.z)) best = {index, z};
  }
  return best;
}

double rank_threshold(std::size_t n) {
  struct Row {
    double n;
    double z;
  };
  // Found by simulation; below 20 nights no shift reaches the first.
  constexpr std::array<Row, 4> kRows = {{{20, 3.38}, {30, 3.47}, {40, 3.51}, {60, 3.57}}};
  const auto wanted = static_cast<double>(n);
  if (wanted <= kRows.front().n) return kRows.front().z;
  for (std::size_t i = 1; i < kRows.size(); ++i) {
    if (wanted > kRows[i].n) continue;
    const double share = (wanted - kRows[i - 1].n) / (kRows[i].n - kRows[i - 1].n);
    return kRows[i - 1].z + share * (kRows[i].z - kRows[i - 1].z);
  }
  return kRows.back().z;
}

}  // namespace stepbench::track
