// SPDX-License-Identifier: Apache-2.0
// Which operators launched which kernels, from the outermost operator in, and kernels that follow
// each other again and again: candidates to be fused, or to be launched as a graph. Of the counted
// steps. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/analyze/kernel_sequences.h"
#include "harness/analyze/steps.h"
#include "harness/analyze/value_or_reason.h"

namespace stepbench::analyze {

// A row of a tree whose rows stand in depth-first order, the longest device time first: an operator
// or annotation, or below it a kernel, copy or set.
struct KernelTreeRow {
  std::uint32_t name = ops::kNoIndex;  // Trace::names; kNoIndex: launched outside all operators
  std::int64_t depth = 0;              // of a root 0
  bool on_device = false;
  std::int64_t launches = 0;  // with what is below
  std::int64_t device_ns = 0;
  // Trace::names: of a row of the device, the user's line of Python from which the longest of its
  // launches came; kNoIndex: none was recorded.
  std::uint32_t line = ops::kNoIndex;
};

struct KernelTree {
  std::vector<KernelTreeRow> rows = {};
  std::int64_t unlaunched_ns = 0;  // of device rows whose launch is not recorded: in no row
  std::vector<KernelSequence> sequences = {};  // by time between
};

[[nodiscard]] ValueOrReason<KernelTree> find_kernel_tree(const Timeline& timeline,
                                                         const Steps& steps);

}  // namespace stepbench::analyze
