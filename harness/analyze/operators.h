// SPDX-License-Identifier: Apache-2.0
// The operators of a trace by name, as TensorBoard's plug-in counts them: host and device time of
// all calls, own and with what they call. Pure; any thread.
//
// Rows nest per thread by time. An op whose only child has its own name counts as one call. Calls
// of the runtime belong to the innermost op and are left out of its own host time. Steps, fetches
// of data, the optimizer's rows and the forward of (Distributed)DataParallel are parents only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/analyze/steps.h"
#include "harness/analyze/value_or_reason.h"

namespace stepbench::analyze {

struct OperatorRow {
  std::uint32_t name = ops::kNoIndex;  // Trace::names
  std::int64_t calls = 0;
  std::int64_t host_ns = 0;
  std::int64_t self_host_ns = 0;
  std::int64_t device_ns = 0;  // sums of kernels, copies and sets: streams may overlap
  std::int64_t self_device_ns = 0;
  std::int64_t tensor_core_ns = 0;
  std::int64_t self_tensor_core_ns = 0;
  std::int64_t launches = 0;    // device rows that its own calls started
  std::int64_t step_calls = 0;  // of those that begin in the counted steps
  std::int64_t step_self_host_ns = 0;
  std::int64_t step_self_device_ns = 0;
  bool eligible = false;  // mixed precision casts it
};

struct Operators {
  ValueOrReason<std::vector<OperatorRow>> rows = {};  // by device time, then by own host time
  // Of the kernel time that all of them launched: what the innermost ops launched that mixed
  // precision casts, or that use tensor cores already. 0..1; absent without kernels.
  std::optional<double> eligible_share = {};
};

[[nodiscard]] Operators list_operators(const Timeline& timeline, const Steps& steps);

}  // namespace stepbench::analyze
