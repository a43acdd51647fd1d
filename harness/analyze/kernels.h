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
  std::int64_t total_ns = 0;           // sum of durations: kernels of several streams may overlap
  std::int64_t min_ns = 0;
  std::int64_t max_ns = 0;
  std::int64_t step_calls = 0;  // launched in the counted steps
  std::int64_t step_ns = 0;
  // Mean over time; absent where no row says.
  std::optional<double> blocks_per_sm = {};
  std::optional<double> occupancy_percent = {};
  // By its name; absent: it does not say, and the device is not known to be NVIDIA's.
  std::optional<bool> tensor_cores = {};
  bool probably_tensor_cores = false;  // a name of newer libraries, which does not say for sure
  std::optional<bool> communication = false;  // absent: its name does not tell
};

struct Kernels {
  std::vector<KernelRow> rows = {};        // by total time
  std::vector<std::size_t> by_calls = {};  // indices of rows, by calls
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
  std::optional<std::int64_t> tensor_core_ns = {};  // of total_ns; absent as for rows
  std::int64_t probably_tensor_core_ns = 0;         // of newer names
  Summary duration = {};                            // of each kernel, in ns
  // Kernels that took less than kTinyKernelNs: starting one costs the host about as much.
  std::int64_t tiny = 0;
  std::int64_t tiny_ns = 0;
  std::int64_t tiny_in_steps = 0;  // launched in the counted steps
};
inline constexpr std::int64_t kTinyKernelNs = 10'000;

[[nodiscard]] ValueOrReason<Kernels> list_kernels(const Timeline& timeline, const Steps& steps);

}  // namespace stepbench::analyze
