// SPDX-License-Identifier: Apache-2.0
// Spread of equal launches in earlier runs, which determines the smallest detectable change.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "harness/estimate/noise.h"
#include "harness/plan/plan.h"

namespace stepbench::campaign {

// Relative standard deviation of the step over the launches of a case: the median over the plan's
// cases with at least three launches in the newest runs in `results_dir`. nullopt: none. Skips
// unreadable runs.
[[nodiscard]] std::optional<double> earlier_spread(const plan::Plan& plan,
                                                   const std::filesystem::path& results_dir);

// For each such case: sources of noise and cost of launches, from the newest run that has both.
[[nodiscard]] std::vector<estimate::CaseNoise> earlier_noise(
    const plan::Plan& plan, const std::filesystem::path& results_dir);

}  // namespace stepbench::campaign
