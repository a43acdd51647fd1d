// SPDX-License-Identifier: Apache-2.0
// What a plan will take: launches, steps, and time by what earlier runs took.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/campaign/launch_cost.h"
#include "harness/plan/plan.h"

namespace stepbench::campaign {

// How much work a plan is.
struct TimeEstimate {
  std::int64_t launches = 0;     // of cases that can run here; those that record operations as well
  std::int64_t steps = 0;        // in all launches; at most, with active: auto
  double limit_s = 0;            // every launch taking its whole limits.wall_s
  std::int64_t known_cases = 0;  // whose cost is known
  std::int64_t runs = 0;         // earlier ones that it is known from
  bool probed = false;           // it is known from smoke launches, made for this
  double expected_s = 0;  // from those; cases without one count as their mean. 0: none is known
  // Of the same cases as a night (see measure_night()): its planned pairs, and with all fresh ones.
  double night_s = 0;
  double night_most_s = 0;
};

// Seconds of launches after which a night begins no more fresh pairs, where nobody says it: a small
// plan has time for all pairs of its cases.
[[nodiscard]] double night_budget_s(double planned_s);

// Steps of one launch, warm-up included.
[[nodiscard]] std::int64_t steps_per_launch(const ResolvedCase& resolved);

// Launches of a case that can run, those that record operations included.
[[nodiscard]] std::int64_t launches_of(const ResolvedCase& resolved);

[[nodiscard]] TimeEstimate estimate_time(const plan::Plan& plan, const KnownCosts& costs);
// By the runs in `results_dir`.
[[nodiscard]] TimeEstimate estimate_time(const plan::Plan& plan,
                                         const std::filesystem::path& results_dir);

// "about 40 s by earlier results of 2 cases in 1 run"; empty when no case is known.
[[nodiscard]] std::string expected_text(const TimeEstimate& estimate);
// "as a night: about 3 min, 60 min at most"; empty when no case is known.
[[nodiscard]] std::string night_text(const TimeEstimate& estimate);

}  // namespace stepbench::campaign
