// SPDX-License-Identifier: Apache-2.0
// Which steps are measured, by the transition table of torch.profiler.schedule, and when a launch
// has measured enough. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/base/enum_names.h"
#include "harness/schedule/action.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::schedule {

// A cycle is wait + warmup + active steps. All counts are >= 0, active > 0.
struct Schedule {
  std::int64_t wait = 1;
  std::int64_t warmup = 10;
  std::int64_t active = 50;
  std::int64_t repeat = 1;           // cycles; 0: unlimited
  std::int64_t skip_first = 0;       // before the first cycle
  std::int64_t skip_first_wait = 0;  // not 0: the first cycle has no wait steps
};

// Action of a step, counted from 0. The last active step of a cycle saves.
[[nodiscard]] Action action_at(const Schedule& schedule, std::int64_t step);

// If a cycle begins at this step: the number of its steps before the window. Else nullopt.
[[nodiscard]] std::optional<std::int64_t> steps_to_window(const Schedule& schedule,
                                                          std::int64_t step);

[[nodiscard]] constexpr bool is_active(Action action) {
  return action == Action::kRecord || action == Action::kRecordAndSave;
}

// When to stop. Called between cycles only.

enum class StopReason : std::uint8_t { kCount, kPrecision, kWallLimit, kError };  // on disk by name
constexpr EnumNames<4> names_of(StopReason) {
  return {"count", "precision", "wall_limit", "error"};
}

struct StopRule {
  std::int64_t cycles = 1;  // minimum; without `automatic` exact. 0: unlimited
  bool automatic = false;   // active: auto
  double precision = 0.01;  // half-width of the interval relative to the estimate
  std::int64_t max_active = 10'000;
};

struct StopVerdict {
  std::optional<StopReason> stop = {};  // nullopt: continue
  std::optional<stats::Interval> interval =
      {};  // 95 %, of time / steps over all windows; automatic only
};

// `window_means`: time / steps of each window so far, all of equal length, in order.
[[nodiscard]] StopVerdict stop_after(const StopRule& rule, std::int64_t cycles_done,
                                     std::int64_t active_done,
                                     std::span<const double> window_means);

// Student's t interval of the mean of all windows. Windows are joined in pairs, pairs of pairs and
// so on until 10 to 19 remain: long windows are nearly independent even if steps are not. These are
// batch means (Law and Kelton, Simulation Modeling and Analysis, chapter 9), which do not cover
// effects rarer or slower than a joined window: for steps that wander over 1,000 steps (AR(1),
// .999), or of which one in 1,000 takes 30 times as long, windows of 50 steps cover the mean in 37
// to 40 % of launches. nullopt below 10 windows.
[[nodiscard]] std::optional<stats::Interval> interval_of_windows(
    std::span<const double> window_means);

}  // namespace stepbench::schedule
