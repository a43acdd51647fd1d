// SPDX-License-Identifier: Apache-2.0
// Kernels that follow each other again and again: candidates to be fused, or to be launched as a
// graph. Of the counted steps. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/analyze/steps.h"
#include "harness/analyze/value_or_reason.h"

namespace stepbench::analyze {

// Kernels of one stream that follow each other in this order several times.
struct KernelSequence {
  std::vector<std::uint32_t> names = {};  // Trace::names
  std::int64_t times = 0;                 // that do not overlap
  std::int64_t kernel_ns = 0;             // of all of them together
  std::int64_t between_ns = 0;            // after one kernel and before the next
};

// Of two, four or eight kernels, which come at least twice and as often as there are steps. A pair
// of neighbours counts in the longest sequence that it is part of. By time between.
[[nodiscard]] ValueOrReason<std::vector<KernelSequence>> find_kernel_sequences(
    const Timeline& timeline, const Steps& steps);

}  // namespace stepbench::analyze
