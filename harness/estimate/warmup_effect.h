// SPDX-License-Identifier: Apache-2.0
// Estimates how much warm-up reached into a case's windows: compares the mean of the whole window
// with that of its last half, launch by launch. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/stats/interval.h"

namespace stepbench::estimate {

struct WarmupEffect {
  std::size_t launches = 0;
  // Increase of the step due to the first half of its windows: 0.02 = 2 % longer. Mean over
  // launches with its 95 % interval by Student's t.
  double change = 0;
  stats::Interval interval;
  // At least 0.5 %, and above zero by a one-sided test at 1.5 %.
  bool reported = false;
  // If `reported`: steps to drop at the start of each window so that the rest is less than 0.5 %
  // above the last half; at most half of it.
  std::int64_t drop = 0;
  // Smallest change that launches with this variation detect in 95 of 100 cases.
  double finds = 0;
};

// Steps of one launch by window, and which of them are excluded from both means: waiting for a new
// epoch is not warm-up.
struct StepWindows {
  std::vector<std::vector<double>> times = {};
  std::vector<std::vector<bool>> excluded = {};
  std::size_t turn = 1;  // steps delivered together by the loader's workers; never split
};

// nullopt for fewer than two launches with at least four turns in each window.
[[nodiscard]] std::optional<WarmupEffect> warmup_effect(std::span<const StepWindows> launches);
// Uses the clock of the case's step. nullopt also for a latency: it is a median, which a few slow
// steps do not move.
[[nodiscard]] std::optional<WarmupEffect> warmup_effect(const CaseRow& row);

}  // namespace stepbench::estimate
