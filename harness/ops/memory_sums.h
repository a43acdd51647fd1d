// SPDX-License-Identifier: Apache-2.0
// Bytes by interval of time, over the memory events of all threads. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/ops/op_log.h"

namespace stepbench {

// torch.profiler charges every allocation to all ops that are open at that time, on any thread;
// both ends of an op's interval belong to it.
class MemorySums {
 public:
  struct Bytes {
    std::int64_t cpu = 0;
    std::int64_t device = 0;
  };

  explicit MemorySums(const std::vector<MemoryEvent>& events);

  [[nodiscard]] bool empty() const { return times_.empty(); }
  // Fastest when starts come in rising order. Marks the events as claimed.
  [[nodiscard]] Bytes claim(std::int64_t start_ns, std::int64_t end_ns);

  struct Unclaimed {
    std::int64_t at_ns = 0;
    Bytes bytes = {};
  };
  [[nodiscard]] std::vector<Unclaimed> unclaimed() const;

 private:
  [[nodiscard]] std::size_t first_at_or_after(std::int64_t at_ns, std::size_t hint) const;

  std::vector<std::int64_t> times_;
  std::vector<Bytes> sums_;             // of the events before index i
  std::vector<std::int32_t> openings_;  // claims that begin less claims that end at index i
  std::size_t hint_ = 0;
};

}  // namespace stepbench
