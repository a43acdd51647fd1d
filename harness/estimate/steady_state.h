// SPDX-License-Identifier: Apache-2.0
// Checks whether the windows of a case show a steady state: a warm-up that reached into them, a
// loader's queue that was less full at the end of a window than at its start, slow steps that occur
// less than once per launch. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/stats/order_statistics.h"

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

// A window consumes batches that were ready before it without producing them, and vice versa: the
// rate of production lies between both counts.
struct UnevenQueue {
  double gained = 0;  // batches ready at a window's end minus those at its start
  double low_ns = 0;  // step in steady state
  double high_ns = 0;
  std::int64_t more_warmup = 0;  // additional warm-up steps that level the queue
};
// nullopt if the queue was level, the step does not wait for data, or a launch does not record it.
[[nodiscard]] std::optional<UnevenQueue> uneven_queue(const CaseRow& row);

// Rare slow steps: the mean over launches sees them, the median does not.

struct RareSlowSteps {
  std::int64_t slow = 0;    // longer than any step of the median launch
  std::int64_t steps = 0;   // in all launches
  double difference = 0;    // of the mean over launches from their median: 0.08 = 8 % longer
  std::int64_t active = 0;  // number of steps in which about ten of them are expected
};

// nullopt while mean and median over launches agree within `margin`.
[[nodiscard]] std::optional<RareSlowSteps> rare_slow_steps(const CaseRow& row, double margin);

}  // namespace stepbench::estimate
