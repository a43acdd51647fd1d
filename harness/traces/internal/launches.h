// SPDX-License-Identifier: Apache-2.0
// Calls of the CUDA or HIP runtime and driver, and how they launched device work: how long calls
// took, how long work waited behind them, and how much was queued. A long delay on a busy device is
// healthy queueing; it only costs time if the device was otherwise idle. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/traces/internal/steps.h"
#include "harness/traces/internal/summary.h"

namespace stepbench::traces {

// Returns indices of Timeline::work, sorted by start, of the rows launched before the last step
// began, because the last step's work may be incomplete. All rows with fewer than two steps.
[[nodiscard]] std::vector<std::size_t> rows_before_last_step(const Timeline& timeline,
                                                             const Steps& steps);

// A row that began late although its device was idle.
struct DelayedLaunch {
  TimeSpan call = {};
  TimeSpan work = {};
  std::uint32_t name = ops::kNoIndex;  // Trace::names: name of the work
  std::uint32_t op = ops::kNoIndex;    // Trace::names; kNoIndex: outside all operators
  // Part of the time from the end of the call to the start of the work with an idle device.
  std::int64_t idle_ns = 0;
};

struct Launches {
  static constexpr std::string_view kWindow = "before_last_step";  // as printed
  static constexpr std::int64_t kLongDelayNs = 100'000;
  static constexpr std::int64_t kLongCallNs = 50'000;

  std::int64_t calls = 0;        // calls that started device rows: launches, graphs, copies, sets
  std::int64_t rows = 0;         // device rows that they started
  Summary call = {};             // duration of these calls, in ns
  Summary delay = {};            // per row, in ns; 0 if it began before its call returned
  std::int64_t long_delays = 0;  // longer than kLongDelayNs
  std::int64_t long_calls = 0;   // longer than kLongCallNs
  // Kernels shorter than their call, for calls of at most kLongCallNs.
  std::int64_t short_kernels = 0;
  std::int64_t idle_delay_ns = 0;         // sum of DelayedLaunch::idle_ns over all rows
  std::vector<DelayedLaunch> worst = {};  // rows with a long delay, sorted by idle time
};

[[nodiscard]] ValueOrReason<Launches> launch_statistics(const Timeline& timeline,
                                                        const Steps& steps);

// Work launched but not yet begun on one stream.
struct LaunchQueue {
  static constexpr std::int64_t kFull = 1024;  // length at which CUDA blocks the launching call

  int device = 0;
  std::int64_t stream = 0;
  std::int64_t changes = 0;
  double mean_at_changes = 0;
  std::int64_t max = 0;
  double mean = 0;  // over time, like the quantiles; from the first change to the last
  double median = 0;
  double p95 = 0;
  std::int64_t full_ns = 0;
  double full_share = 0;      // share of the window
  std::int64_t negative = 0;  // changes after which the length was negative: damaged times
};

[[nodiscard]] ValueOrReason<std::vector<LaunchQueue>> launch_queues(const Timeline& timeline,
                                                                    const Steps& steps);

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

}  // namespace stepbench::traces
