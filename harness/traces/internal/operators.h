// SPDX-License-Identifier: Apache-2.0
// The operators of a trace by name, counted as TensorBoard's plug-in does: host and device time of
// all calls, self and total. Pure; any thread.
//
// Rows nest per thread by time. An op whose only child has the same name counts as one call.
// Runtime calls belong to the innermost op and are excluded from its self host time. Steps, data
// fetches, the optimizer's rows and the forward of (Distributed)DataParallel serve only as parents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/traces/internal/steps.h"
#include "harness/traces/internal/summary.h"

namespace stepbench::traces {

struct OperatorRow {
  std::uint32_t name = ops::kNoIndex;  // Trace::names
  std::int64_t calls = 0;
  std::int64_t host_ns = 0;
  std::int64_t self_host_ns = 0;
  std::int64_t device_ns = 0;  // sum of kernels, copies and sets; streams may overlap
  std::int64_t self_device_ns = 0;
  std::int64_t tensor_core_ns = 0;
  std::int64_t self_tensor_core_ns = 0;
  std::int64_t launches = 0;    // device rows that its own calls started
  std::int64_t step_calls = 0;  // calls that begin in the counted steps
  std::int64_t step_self_host_ns = 0;
  std::int64_t step_self_device_ns = 0;
  bool eligible = false;  // mixed precision casts it
};

struct Operators {
  ValueOrReason<std::vector<OperatorRow>> rows = {};  // by device time, then by self host time
  // Share, 0..1, of all operators' kernel time launched by the innermost eligible operators: those
  // that mixed precision casts or that use tensor cores. Absent without kernels.
  std::optional<double> eligible_share = {};
};

[[nodiscard]] Operators list_operators(const Timeline& timeline, const Steps& steps);

}  // namespace stepbench::traces
