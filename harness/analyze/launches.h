// SPDX-License-Identifier: Apache-2.0
// How device work was launched: how long calls took, how long work waited behind them, how much was
// queued. A long delay on a busy device is healthy queueing; it costs only where the device had
// nothing else to do. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/analyze/steps.h"
#include "harness/analyze/summary.h"
#include "harness/analyze/value_or_reason.h"

namespace stepbench::analyze {

// Indices of Timeline::work, by start: what was launched before the last step began, of whose work
// a recording may have lost the end; all rows where there are fewer than two steps.
[[nodiscard]] std::vector<std::size_t> rows_before_last_step(const Timeline& timeline,
                                                             const Steps& steps);

// A row that began late although its device had nothing to do.
struct DelayedLaunch {
  TimeSpan call = {};
  TimeSpan work = {};
  std::uint32_t name = ops::kNoIndex;  // Trace::names, of the work
  std::uint32_t op = ops::kNoIndex;    // Trace::names; none: outside all ops
  std::int64_t delay_ns = 0;           // end of the call to the start of the work
  std::int64_t idle_ns = 0;            // of that: the device did nothing
};

struct Launches {
  static constexpr std::string_view kWindow = "before_last_step";  // as printed
  static constexpr std::int64_t kLongDelayNs = 100'000;
  static constexpr std::int64_t kLongCallNs = 50'000;

  std::int64_t calls = 0;        // that started device rows: launches, graphs, copies, sets
  std::int64_t rows = 0;         // that they started
  Summary call = {};             // duration of these calls, in ns
  Summary delay = {};            // of each row, in ns; 0 where it began before its call returned
  std::int64_t long_delays = 0;  // beyond kLongDelayNs
  std::int64_t long_calls = 0;   // beyond kLongCallNs
  // Kernels shorter than their call, which took at most kLongCallNs.
  std::int64_t short_kernels = 0;
  std::int64_t idle_delay_ns = 0;         // sum of DelayedLaunch::idle_ns of all rows
  std::vector<DelayedLaunch> worst = {};  // by idle time, with a long delay
};

[[nodiscard]] ValueOrReason<Launches> launch_statistics(const Timeline& timeline,
                                                        const Steps& steps);

// Work that was launched and had not begun, on one stream.
struct LaunchQueue {
  static constexpr std::int64_t kFull = 1024;  // where CUDA makes the launching call wait

  int device = 0;
  std::int64_t stream = 0;
  std::int64_t changes = 0;
  double mean_at_changes = 0;
  std::int64_t max = 0;
  double mean = 0;  // over time, as the quantiles, from the first change to the last
  double median = 0;
  double p95 = 0;
  std::int64_t full_ns = 0;
  double full_share = 0;      // of the window
  std::int64_t negative = 0;  // changes after which it was below zero: damaged times
};

[[nodiscard]] ValueOrReason<std::vector<LaunchQueue>> launch_queues(const Timeline& timeline,
                                                                    const Steps& steps);

}  // namespace stepbench::analyze
