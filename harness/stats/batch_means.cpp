// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/batch_means.h"

#include <numeric>
#include <vector>

#include "harness/stats/order.h"

namespace stepbench {

std::optional<Interval> batch_means_interval(std::span<const double> series, double confidence,
                                             std::size_t batches) {
  if (batches == 0 || series.size() < batches) return std::nullopt;
  const std::size_t length = series.size() / batches;
  series = series.last(length * batches);
  std::vector<double> means(batches);
  for (std::size_t i = 0; i < batches; ++i) {
    const auto batch = series.subspan(i * length, length);
    means[i] = std::accumulate(batch.begin(), batch.end(), 0.0) / static_cast<double>(length);
  }
  return median_interval(means, confidence);
}

}  // namespace stepbench
