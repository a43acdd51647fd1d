// SPDX-License-Identifier: Apache-2.0
// What a caching device allocator did in one measured window. Pure functions of its counters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "harness/findings/finding.h"

namespace stepbench {
class ReportSink;
}  // namespace stepbench

namespace stepbench::cuda {

struct AllocatorCounters {
  std::int64_t allocations = 0;         // asked for by tensors, so far
  std::int64_t device_allocations = 0;  // calls of the driver (cudaMalloc), so far
  std::int64_t retries = 0;             // after freeing what was cached, so far
  std::int64_t allocated_bytes = 0;     // held by tensors now
  std::int64_t reserved_bytes = 0;      // held from the driver now
  std::int64_t peak_allocated_bytes = 0;
  std::int64_t peak_reserved_bytes = 0;
};

struct AllocatorWindow {
  AllocatorCounters begin = {};
  AllocatorCounters end = {};
  std::int64_t steps = 0;
};

// allocations_per_step, device_allocations_per_step, allocator_retries, reserved_bytes,
// peak_allocated_bytes, peak_reserved_bytes.
void report(const AllocatorWindow& window, ReportSink& sink);

// When steps still ask the driver for memory, or free and ask again.
// `calling`: the steps that did, where they are known.
[[nodiscard]] std::optional<Finding> allocator_finding(const AllocatorWindow& window,
                                                       std::span<const std::int64_t> calling = {});

}  // namespace stepbench::cuda
