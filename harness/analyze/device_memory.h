// SPDX-License-Identifier: Apache-2.0
// How much memory the allocator of each device held at most. Pure; any thread.
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
  std::int64_t reserved_bytes = 0;               // highest, perhaps at another moment
  std::int64_t at_ns = 0;                        // of allocated_bytes
  std::optional<std::int64_t> total_bytes = {};  // of the device, where the file says
};

// By device, the host first. Absent where memory was not recorded, or without totals (2021).
[[nodiscard]] ValueOrReason<std::vector<MemoryPeak>> memory_peaks(const trace::Trace& trace);

}  // namespace stepbench::analyze
