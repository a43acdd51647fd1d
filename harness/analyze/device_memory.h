// SPDX-License-Identifier: Apache-2.0
// Peak memory of each device's allocator. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/analyze/timeline.h"
#include "harness/analyze/value_or_reason.h"

namespace stepbench::analyze {

struct MemoryPeak {
  int device = -1;  // -1: the host
  std::int64_t allocated_bytes = 0;
  std::int64_t reserved_bytes = 0;               // peak, possibly at another moment
  std::int64_t at_ns = 0;                        // time of the allocated_bytes peak
  std::optional<std::int64_t> total_bytes = {};  // capacity of the device, if recorded
};

// Sorted by device, host first. Absent if memory was not recorded or lacks totals (traces of 2021).
[[nodiscard]] ValueOrReason<std::vector<MemoryPeak>> memory_peaks(const trace::Trace& trace);

}  // namespace stepbench::analyze
