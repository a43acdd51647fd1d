// SPDX-License-Identifier: Apache-2.0
// Activity of a caching device allocator in a measured window. Pure functions of its counters.
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
  std::int64_t allocations = 0;         // requests of tensors, cumulative
  std::int64_t device_allocations = 0;  // driver calls (cudaMalloc), cumulative
  std::int64_t retries = 0;          // allocations repeated after freeing cached memory, cumulative
  std::int64_t allocated_bytes = 0;  // currently held by tensors
  std::int64_t reserved_bytes = 0;   // currently reserved from the driver
  std::int64_t peak_allocated_bytes = 0;
  std::int64_t peak_reserved_bytes = 0;
};

struct AllocatorWindow {
  AllocatorCounters begin = {};
  AllocatorCounters end = {};
  std::int64_t steps = 0;
};

// Reports allocations_per_step, device_allocations_per_step, allocator_retries, reserved_bytes,
// peak_allocated_bytes, peak_reserved_bytes.
void report(const AllocatorWindow& window, ReportSink& sink);

// Returns a finding if steps still allocate from the driver, or free cached memory and retry.
// `calling`: the steps that did, if known.
[[nodiscard]] std::optional<Finding> allocator_finding(const AllocatorWindow& window,
                                                       std::span<const std::int64_t> calling = {});

}  // namespace stepbench::cuda
