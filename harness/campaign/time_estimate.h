// SPDX-License-Identifier: Apache-2.0
// What a plan will take: launches, steps, and time by what earlier runs took.
#pragma once

#include <cstdint>
#include <filesystem>

#include "harness/plan/plan.h"

namespace stepbench {

// How much work a plan is.
struct TimeEstimate {
  std::int64_t launches = 0;     // of cases that can run here
  std::int64_t steps = 0;        // in all launches; at most, with active: auto
  double limit_s = 0;            // every launch taking its whole limits.wall_s
  std::int64_t known_cases = 0;  // cases measured in earlier runs
  double expected_s = 0;  // from those; cases without one count as their mean. 0: none is known
};

// Steps of one launch, warm-up included.
[[nodiscard]] std::int64_t steps_per_launch(const ResolvedCase& resolved);

// Looks through the newest runs in `results_dir`; unreadable ones are passed over.
[[nodiscard]] TimeEstimate estimate_time(const Plan& plan,
                                         const std::filesystem::path& results_dir);

}  // namespace stepbench
