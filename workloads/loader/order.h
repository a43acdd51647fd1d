// SPDX-License-Identifier: Apache-2.0
// Epoch orders that need no torch. Pure functions of their arguments; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/loader/loader.h"

namespace stepbench {

[[nodiscard]] EpochOrder sequential_order(std::int64_t samples);
// A Fisher-Yates shuffle per epoch, a function of (seed, epoch). Not torch.randperm's order.
[[nodiscard]] EpochOrder shuffled_order(std::int64_t samples, std::uint64_t seed);
// As many draws as there are samples, each of any sample; a function of (seed, epoch).
[[nodiscard]] EpochOrder drawn_order(std::int64_t samples, std::uint64_t seed);

// Python's BatchSampler: cuts an epoch's order into batches. A view; `order` must outlive it.
class BatchCut {
 public:
  BatchCut(std::span<const std::int64_t> order, std::int64_t batch_size, bool drop_last);
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::span<const std::int64_t> operator[](std::int64_t batch) const;

 private:
  std::span<const std::int64_t> order_;
  std::int64_t batch_size_;
  std::int64_t count_;
};

[[nodiscard]] std::int64_t batch_count(std::int64_t samples, std::int64_t batch_size,
                                       bool drop_last);

}  // namespace stepbench
