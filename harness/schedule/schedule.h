// SPDX-License-Identifier: Apache-2.0
// Which steps are measured, by the transition table of torch.profiler.schedule; when a launch has
// measured enough; how windows fit to the turns and epochs of a loader; and whether the warm-up was
// long enough. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
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

// The length of a window if the workers of a loader deliver in turns, and its position among the
// borders of epochs.

// The smallest multiple of `block` that is at least `steps`.
[[nodiscard]] std::int64_t rounded_up(std::int64_t steps, std::int64_t block);

// Relative standard deviation over launches of time / steps, for a loop limited by its loader.
// `batch_cv`: the coefficient of variation of a batch's cost in its worker.
[[nodiscard]] double window_sd(double batch_cv, std::int64_t workers, std::int64_t steps);
// The number of steps that reduces it to `sd`.
[[nodiscard]] std::int64_t steps_for_sd(double batch_cv, std::int64_t workers, double sd);

// Position among the borders of epochs: a window must contain whole epochs, or no border. A border
// is a step that starts an epoch and waits for its first batch; the first border is
// `steps_per_epoch` steps after the launch's first step.

struct EpochSteps {
  std::int64_t per_epoch = 0;  // from one border to the next; 0: no borders
  std::int64_t refill = 0;     // after a border, until the loader's queue is steady
  bool only_whole = false;     // other borders lie in between: never place windows between borders
};

struct EpochFit {
  std::int64_t active = 0;  // steps in the window
  std::int64_t epochs = 0;  // whole epochs in it, wherever it begins; 0: it must contain no border
};

// Uses whole epochs if no epoch has `active` steps clear of its borders. A batch fetched one step
// ahead is waited for one step before the border: that step is kept clear as well.
[[nodiscard]] EpochFit fit_epochs(const EpochSteps& steps, std::int64_t active);

// Number of steps to delay a window of `active` steps that would begin at step `begin`, so that it
// contains neither a border nor the refill after one. For a fit without whole epochs.
[[nodiscard]] std::int64_t steps_past_border(const EpochSteps& steps, std::int64_t active,
                                             std::int64_t begin);

// Was the warm-up long enough? Judged by the active window itself: a warmed-up step does not get
// faster. Steps that get slower are drifting, which no warm-up fixes.

struct WarmupVerdict {
  enum class Kind : std::uint8_t { kUnknown, kOk, kDrifting, kTooShort };  // on disk by name
  Kind kind = Kind::kUnknown;    // kUnknown: too few steps for a trend
  std::int64_t more_steps = 0;   // if too short: minimum of further warm-up steps
  double change = 0;             // step time, last vs first third: -0.05 = 5 % faster
  bool first_step_slow = false;  // only the first step is an outlier
};
constexpr EnumNames<4> names_of(WarmupVerdict::Kind) {
  return {"unknown", "ok", "drifting", "too_short"};
}

// kUnknown for a name of a later version.
[[nodiscard]] WarmupVerdict::Kind warmup_kind(std::string_view name);

// Judges the steps of one window by means of blocks of `block_steps` steps: the number of workers
// that deliver in lockstep. Needs 18 blocks. Skips blocks with a flagged step if enough others
// remain.
[[nodiscard]] WarmupVerdict judge_warmup(std::span<const std::int64_t> step_ns,
                                         std::span<const std::int64_t> flags,
                                         std::int64_t block_steps = 1);

// Combines windows: too short if either is, with the larger hint.
[[nodiscard]] WarmupVerdict worse(const WarmupVerdict& a, const WarmupVerdict& b);

// The verdict of more than half of a case's launches: a trend in only some is chance. Otherwise ok,
// or unknown if as many were unknown.
[[nodiscard]] WarmupVerdict agreed(std::span<const WarmupVerdict> launches);

// For people: "warm-up too short, at least 12 more steps (...)"; empty if there is nothing to
// report.
[[nodiscard]] std::string describe(const WarmupVerdict& verdict);

}  // namespace stepbench::schedule
