// SPDX-License-Identifier: Apache-2.0
// Estimates launches, steps and time of a plan from earlier runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/campaign/launch_cost.h"
#include "harness/plan/plan.h"

namespace stepbench::campaign {

// Amount of work in a plan.
struct TimeEstimate {
  std::int64_t launches = 0;  // for cases that can run here, including those that record operations
  std::int64_t steps = 0;     // in all launches; upper bound with active: auto
  double limit_s = 0;         // if every launch takes its whole limits.wall_s
  std::int64_t known_cases = 0;
  std::int64_t runs = 0;  // earlier runs that the costs come from
  bool probed = false;    // costs come from smoke launches made for this purpose
  double expected_s = 0;  // cases of unknown cost count as the mean; 0: none known
  // The same cases as a night (see measure_night()): planned pairs only, and with all fresh pairs.
  double night_s = 0;
  double night_most_s = 0;
};

// Default limit on the seconds of launches after which a night begins no more fresh pairs: allows
// all pairs for a small plan.
[[nodiscard]] double night_budget_s(double planned_s);

// Steps of one launch, warm-up included.
[[nodiscard]] std::int64_t steps_per_launch(const ResolvedCase& resolved);

// Launches of a case that can run, including those that record operations.
[[nodiscard]] std::int64_t launches_of(const ResolvedCase& resolved);

[[nodiscard]] TimeEstimate estimate_time(const plan::Plan& plan, const KnownCosts& costs);
// Uses the runs in `results_dir`.
[[nodiscard]] TimeEstimate estimate_time(const plan::Plan& plan,
                                         const std::filesystem::path& results_dir);

// "about 40 s by earlier results of 2 cases in 1 run"; empty if no case is known.
[[nodiscard]] std::string expected_text(const TimeEstimate& estimate);
// "as a night: about 3 min, 60 min at most"; empty if no case is known.
[[nodiscard]] std::string night_text(const TimeEstimate& estimate);

}  // namespace stepbench::campaign
