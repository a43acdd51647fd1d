// SPDX-License-Identifier: Apache-2.0
#include "harness/track/split_table.h"

#include <cmath>

namespace stepbench::track {

void SplitTable::fill(std::span<const double> values) {
  const std::size_t n = values.size();
  sums_.resize(n * (n + 1) / 2);
  for (std::size_t last = 0; last < n; ++last) {
    double* const column = &sums_[last * (last + 1) / 2];
    column[last] = 0;
    double to_last = 0;
    for (std::size_t i = last; i-- > 0;) {
      to_last += std::abs(values[i] - values[last]);
      column[i] = sums_[(last - 1) * last / 2 + i] + to_last;
    }
  }
}

Split SplitTable::best(std::size_t start, std::size_t end, std::size_t min_length) const {
  Split best;
  for (std::size_t index = start + min_length; index + min_length <= end; ++index) {
    const auto n = static_cast<double>(index - start);
    const double within_left = sum(start, index);
    const double left = n > 1 ? within_left / (n - 1) : 0;
    for (std::size_t stop = index + min_length; stop <= end; ++stop) {
      const auto m = static_cast<double>(stop - index);
      const double within_right = sum(index, stop);
      const double right = m > 1 ? within_right / (m - 1) : 0;
      const double between = sum(start, stop) - within_left - within_right;
      const double q = 2 / (m + n) * (between - m * left - n * right);
      if (q > best.q * (1 + kSplitTolerance)) best = {index, stop, q};
    }
  }
  return best;
}

}  // namespace stepbench::track
