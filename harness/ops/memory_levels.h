// SPDX-License-Identifier: Apache-2.0
// How much memory was held over time, and when it was most. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/findings/finding.h"
#include "harness/ops/op_log.h"
#include "harness/ops/op_table.h"

namespace stepbench {

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
inline constexpr std::int64_t kSmallestSpikeBytes = std::int64_t{1} << 20;

// Per device: its peak stands more than `threshold` above the level that is not exceeded for 95 %
// of the time. Names op and phase of the peak. Id "memory.spike".
[[nodiscard]] std::vector<Finding> memory_findings(const OpLog& log, const OpTable& table,
                                                   double threshold = kSpikeThreshold);

}  // namespace stepbench
