// SPDX-License-Identifier: Apache-2.0
// Kernels that follow each other again and again; see kernel_tree.h. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/analyze/steps.h"

namespace stepbench::analyze {

// Kernels of one stream that follow each other in this order several times.
struct KernelSequence {
  std::vector<std::uint32_t> names = {};  // Trace::names
  std::int64_t times = 0;                 // that do not overlap
  std::int64_t kernel_ns = 0;             // of all of them together
  std::int64_t between_ns = 0;            // after one kernel and before the next
};

// Of two, four or eight kernels, which come at least twice and as often as there are steps. A pair
// of neighbours counts in the longest sequence that it is part of.
[[nodiscard]] std::vector<KernelSequence> repeated_sequences(const Timeline& timeline,
                                                             const Steps& steps);

}  // namespace stepbench::analyze
