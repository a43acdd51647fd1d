// SPDX-License-Identifier: Apache-2.0
// How much of a case's step is warm-up that reached into its windows: the mean of the whole window
// against the mean of its last half, launch by launch. Pure; any thread.
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
  // The step beyond what it is without the first half of its windows: 0.02 = 2 % longer. The mean
  // over launches, with its 95 % interval by Student's t.
  double change = 0;
  stats::Interval interval;
  // At least .5 %, and above zero by a one-sided test at 1.5 %.
  bool told = false;
  // Told: so many steps at the begin of each window are to be left out until the rest is less than
  // .5 % above the last half; at most half of it.
  std::int64_t drop = 0;
  // The smallest change that launches which differ as these do tell in 95 of 100 cases.
  double finds = 0;
};

// The steps of one launch, by window, and of each whether it is left out on both sides: a step that
// waits for a new epoch is no warm-up.
struct StepWindows {
  std::vector<std::vector<double>> times = {};
  std::vector<std::vector<bool>> left_out = {};
  std::size_t turn = 1;  // steps that the workers of a loader deliver together: kept whole
};

// nullopt for fewer than two launches with at least four turns in each window.
[[nodiscard]] std::optional<WarmupEffect> warmup_effect(std::span<const StepWindows> launches);
// Of the clock that the case's step is on. nullopt also for a latency, which is a median: a few
// slow steps do not move it.
[[nodiscard]] std::optional<WarmupEffect> warmup_effect(const CaseRow& row);

}  // namespace stepbench::estimate
