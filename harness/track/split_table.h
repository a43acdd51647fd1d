// SPDX-License-Identifier: Apache-2.0
// Sums of |x_i - x_j| over the pairs of any stretch of a series, looked up in constant time. n (n +
// 1) / 2 numbers. One thread at a time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stepbench::track {

// Where one interval splits best: [start, index) against [index, end), by the energy distance of
// Matteson and James (E-divisive). The first of equal ones; `q` is not positive where nothing does.
struct Split {
  std::size_t index = 0;
  std::size_t end = 0;
  double q = 0;
};

// Of two splits that are equal up to rounding, relatively, the first stands.
inline constexpr double kSplitTolerance = 1e-12;

class SplitTable {
 public:
  // Keeps no reference to the values. May be called again: the memory is kept.
  void fill(std::span<const double> values);

  // Over all splits of [start, end), or of its beginnings, whose two parts have at least
  // `min_length` values; indexes are those of the values.
  [[nodiscard]] Split best(std::size_t start, std::size_t end, std::size_t min_length = 1) const;

  // Over all pairs of the first `size` values.
  [[nodiscard]] double total(std::size_t size) const { return sum(0, size); }

 private:
  // Over the pairs within [first, end), first < end.
  [[nodiscard]] double sum(std::size_t first, std::size_t end) const {
    return sums_[(end - 1) * end / 2 + first];
  }
  std::vector<double> sums_;
};

}  // namespace stepbench::track
