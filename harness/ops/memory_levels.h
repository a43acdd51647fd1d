// SPDX-License-Identifier: Apache-2.0
// How much memory was held over time, when it was most, and which bytes belong to which interval.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/findings/finding.h"
#include "harness/ops/op_log.h"
#include "harness/ops/op_table.h"

namespace stepbench::ops {

struct MemoryLevel {
  std::uint32_t event = 0;  // index of the event after which it held
  std::int64_t allocated_bytes = 0;
  bool peak = false;  // the device's highest
};

// By device, then by time. Of each device at most `points`: the highest of each run of events. What
// the allocator reported, or the sum of the events when it reported none.
[[nodiscard]] std::vector<MemoryLevel> memory_levels(const std::vector<MemoryEvent>& events,
                                                     std::size_t points);

// Of the earliest record or mark.
[[nodiscard]] std::int64_t begin_ns(const OpLog& log);

inline constexpr double kSpikeThreshold = 0.25;
inline constexpr std::int64_t kMinSpikeBytes = std::int64_t{1} << 20;

// Per device: its peak stands more than `threshold` above the level that is not exceeded for 95 %
// of the time. Names op and phase of the peak. Id "memory.spike".
[[nodiscard]] std::vector<Finding> memory_findings(const OpLog& log, const OpTable& table,
                                                   double threshold = kSpikeThreshold);

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

}  // namespace stepbench::ops
