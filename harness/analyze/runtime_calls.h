// SPDX-License-Identifier: Apache-2.0
// Calls of the CUDA or HIP runtime and driver, by name. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/analyze/steps.h"
#include "harness/analyze/value_or_reason.h"

namespace stepbench::analyze {

struct RuntimeCallRow {
  std::uint32_t name = ops::kNoIndex;  // Trace::names, whose facts give the class of the call
  bool driver = false;
  std::int64_t calls = 0;       // in the whole trace
  std::int64_t step_calls = 0;  // begun in the counted steps, as for all members below
  std::int64_t step_ns = 0;     // sum of durations, on any thread
  TimeSpan longest = {};
  std::size_t longest_step = 0;              // index of the step
  std::uint32_t longest_op = ops::kNoIndex;  // Trace::names: the op that made it
};

// Sorted by time in the steps, then by calls.
[[nodiscard]] ValueOrReason<std::vector<RuntimeCallRow>> list_runtime_calls(
    const Timeline& timeline, const Steps& steps);

}  // namespace stepbench::analyze
