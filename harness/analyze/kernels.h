// SPDX-License-Identifier: Apache-2.0
// The kernels of a trace by name, and how well they fill the device. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/analyze/steps.h"
#include "harness/analyze/summary.h"
#include "harness/analyze/value_or_reason.h"

namespace stepbench::analyze {

struct KernelRow {
  std::uint32_t name = ops::kNoIndex;  // Trace::names
  std::int64_t calls = 0;              // in the whole trace
  std::int64_t total_ns = 0;           // sum of durations; kernels of several streams may overlap
  std::int64_t min_ns = 0;
  std::int64_t max_ns = 0;
  std::int64_t step_calls = 0;  // launched in the counted steps
  std::int64_t step_ns = 0;
  // Means over time; absent if no row records them.
  std::optional<double> blocks_per_sm = {};
  std::optional<double> occupancy_percent = {};
  // Judged by its name; absent if the name is inconclusive or the device may not be NVIDIA's.
  std::optional<bool> tensor_cores = {};
  bool probably_tensor_cores = false;         // a name of newer libraries, which is not certain
  std::optional<bool> communication = false;  // absent if unclear from the name
};

struct Kernels {
  std::vector<KernelRow> rows = {};        // sorted by total time
  std::vector<std::size_t> by_calls = {};  // indices of rows, sorted by calls
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
  std::optional<std::int64_t> tensor_core_ns = {};  // part of total_ns; absent as for rows
  std::int64_t probably_tensor_core_ns = 0;         // part of total_ns under newer, uncertain names
  Summary duration = {};                            // duration of a single kernel, in ns
  // Kernels shorter than kTinyKernelNs, which is about the host's cost of a launch.
  std::int64_t tiny = 0;
  std::int64_t tiny_ns = 0;
  std::int64_t tiny_in_steps = 0;  // launched in the counted steps
};
inline constexpr std::int64_t kTinyKernelNs = 10'000;

[[nodiscard]] ValueOrReason<Kernels> list_kernels(const Timeline& timeline, const Steps& steps);

}  // namespace stepbench::analyze
