// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule/stopping.h"

#include <algorithm>
#include <numeric>

#include "harness/stats/order.h"

namespace stepbench {

std::string_view name_of(StopReason reason) {
  switch (reason) {
    case StopReason::kCount:
      return "count";
    case StopReason::kPrecision:
      return "precision";
    case StopReason::kWallLimit:
      return "wall_limit";
    case StopReason::kError:
      return "error";
  }
  return "error";
}

Verdict stop_after(const StopRule& rule, std::int64_t cycles_done, std::int64_t active_done,
                   std::span<const double> batch_means) {
  constexpr double kConfidence = 0.95;
  const bool enough_cycles = rule.cycles > 0 && cycles_done >= rule.cycles;
  Verdict verdict;
  if (!rule.automatic) {
    if (enough_cycles) verdict.stop = StopReason::kCount;
    return verdict;
  }
  verdict.interval = median_interval(batch_means, kConfidence);
  if (verdict.interval && enough_cycles) {
    const double half_width = (verdict.interval->high - verdict.interval->low) / 2;
    if (half_width <= rule.precision * median(batch_means)) verdict.stop = StopReason::kPrecision;
  }
  if (!verdict.stop && active_done >= rule.max_active) verdict.stop = StopReason::kCount;
  return verdict;
}

void append_batch_means(std::span<const std::int64_t> step_ns, std::vector<double>& batch_means) {
  const std::size_t batches = std::min(kBatchesPerWindow, step_ns.size());
  if (batches == 0) return;
  const std::size_t length = step_ns.size() / batches;
  for (std::span<const std::int64_t> rest = step_ns.last(length * batches); !rest.empty();
       rest = rest.subspan(length)) {
    const auto batch = rest.first(length);
    const std::int64_t sum = std::accumulate(batch.begin(), batch.end(), std::int64_t{0});
    batch_means.push_back(static_cast<double>(sum) / static_cast<double>(length));
  }
}

}  // namespace stepbench
