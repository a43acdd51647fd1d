// SPDX-License-Identifier: Apache-2.0
// Splits the time of each step: the work of a device, and that of the host while the device was
// idle, by cause and by op and call. The parts of a step sum exactly to its window, in integer
// nanoseconds. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/traces/internal/host_activity.h"
#include "harness/traces/internal/steps.h"
#include "harness/traces/internal/summary.h"
#include "harness/traces/internal/timeline.h"

namespace stepbench::traces {

// Times of one step. wall = compute + communication + copy + sum of idle.
struct StepTime {
  std::int64_t wall_ns = 0;
  std::int64_t compute_ns = 0;        // kernels, without NCCL's
  std::int64_t communication_ns = 0;  // NCCL's kernels while nothing computes
  std::int64_t copy_ns = 0;           // copies and sets while no kernel runs
  std::array<std::int64_t, kIdleCauses> idle_ns = {};
  // Not part of the sum.
  std::int64_t data_loading_ns = 0;  // all data loading, including while the device works
  std::int64_t data_hidden_ns = 0;   // part of data_loading_ns while the device works

  [[nodiscard]] std::int64_t idle_total_ns() const;
  [[nodiscard]] std::int64_t of(IdleCause cause) const { return idle_ns[std::size_t(cause)]; }
  [[nodiscard]] std::int64_t data_exposed_ns() const { return of(IdleCause::kDataLoading); }
  StepTime& operator+=(const StepTime& other);
  friend bool operator==(const StepTime&, const StepTime&) = default;
};

struct StepPart {
  std::string_view name;  // "compute", "idle_data_loading", as printed
  std::int64_t (*of)(const StepTime&);
};
// In display order: device activity, then idle time by cause.
[[nodiscard]] std::span<const StepPart> step_parts();

// A place in which idle time was spent: the op that synchronised, launched or ran; for time not
// covered by any row, the Python function. Names index Trace::names.
struct IdlePlace {
  IdleCause cause = IdleCause::kUnattributed;
  std::uint32_t name = ops::kNoIndex;        // op, loader row or function; kNoIndex: outside all
  std::uint32_t call = ops::kNoIndex;        // runtime call around it, if any
  std::uint32_t annotation = ops::kNoIndex;  // outermost annotation around it on the step thread
  std::uint32_t caller = ops::kNoIndex;      // for a function: the user's frame that called it
  std::uint32_t work = ops::kNoIndex;        // for a call: name of the longest work it started
  std::uint32_t lane = ops::kNoIndex;        // Trace::lanes
  std::int64_t idle_ns = 0;                  // in the counted steps
  std::int64_t rows = 0;                     // ops or calls with at least one piece
  TimeSpan longest = {};                     // longest piece
  TimeSpan longest_row = {};                 // the row that contains the longest piece
  std::size_t longest_step = 0;              // index of the step
};

// A span of a step that no row explains.
struct IdleGap {
  TimeSpan at = {};
  std::size_t step = 0;
  std::uint32_t before = ops::kNoIndex;  // Trace::names: last host row that ended before it
  std::uint32_t after = ops::kNoIndex;   // first row that begins after it
  std::uint32_t python = ops::kNoIndex;  // Python function that takes most of it
  std::uint32_t caller = ops::kNoIndex;  // the user's frame that called it
};

// Scope of the times in `steps`.
enum class IdleScope : std::uint8_t {
  kDevice,
  kAllDevices,  // idle: no device works
  kHost         // no device rows: the step thread itself; compute and copies are zero
};

struct IdleReport {
  IdleScope scope = IdleScope::kHost;
  std::optional<int> device = {};
  std::vector<StepTime> steps = {};    // as Steps::steps
  StepTime counted = {};               // sum over the counted steps
  std::vector<IdlePlace> places = {};  // sorted by cause, then by descending idle time
  std::vector<IdleGap> gaps = {};      // in the counted steps, longest first
  // Longest time without device work, from any cause; in the counted steps, across borders.
  TimeSpan longest_idle = {};
  std::size_t longest_idle_step = 0;  // index of the step in which it begins

  // Summary of one part, or of the wall time, over the counted steps.
  [[nodiscard]] Summary summary(const Steps& of, std::int64_t (*part)(const StepTime&)) const;
};

// One report per device and, for several, one for all; without devices, the host's.
[[nodiscard]] std::vector<IdleReport> attribute_idle(const Timeline& timeline, const Steps& steps);

}  // namespace stepbench::traces
