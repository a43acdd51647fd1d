// SPDX-License-Identifier: Apache-2.0
// Use of each device: its kernels by name and how well they fill it, when it was busy, and the peak
// memory of its allocator. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/traces/internal/steps.h"
#include "harness/traces/internal/summary.h"
#include "harness/traces/internal/timeline.h"

namespace stepbench::traces {

struct DeviceUse {
  int device = 0;
  // Estimates, from the start of the first step to the end of the last work that the steps
  // launched; absent if no kernel records them.
  std::optional<double> sm_efficiency = {};      // share of multiprocessors with a block, 0..1
  std::optional<double> occupancy_percent = {};  // mean over kernel time
  // Busy share, 0..1, of each of kChunks equal parts between the device's first and last row. Empty
  // if that range is shorter than kChunks ns.
  static constexpr std::int64_t kChunks = 30;
  std::vector<double> busy_over_time = {};
};

// One entry per device that ran work.
[[nodiscard]] std::vector<DeviceUse> find_device_use(const Timeline& timeline, const Steps& steps);

struct MemoryPeak {
  int device = -1;  // -1: the host
  std::int64_t allocated_bytes = 0;
  std::int64_t reserved_bytes = 0;               // peak, possibly at another moment
  std::int64_t at_ns = 0;                        // time of the allocated_bytes peak
  std::optional<std::int64_t> total_bytes = {};  // capacity of the device, if recorded
};

// Sorted by device, host first. Absent if memory was not recorded or lacks totals (traces of 2021).
[[nodiscard]] ValueOrReason<std::vector<MemoryPeak>> memory_peaks(const Trace& trace);

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

}  // namespace stepbench::traces
