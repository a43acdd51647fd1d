// SPDX-License-Identifier: Apache-2.0
// How much equal launches differed in earlier runs: what decides how small a change can be found.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "harness/estimate/noise.h"
#include "harness/plan/plan.h"

namespace stepbench::campaign {

// Relative standard deviation of the step over the launches of a case, as the median over the cases
// of the plan that the newest runs in `results_dir` measured at least three times. nullopt: none
// did. Unreadable runs are passed over.
[[nodiscard]] std::optional<double> earlier_spread(const plan::Plan& plan,
                                                   const std::filesystem::path& results_dir);

// Of each case of the plan that the same runs measured at least three times: where its noise comes
// from and what its launches cost, from the newest run that tells both.
[[nodiscard]] std::vector<estimate::CaseNoise> earlier_noise(
    const plan::Plan& plan, const std::filesystem::path& results_dir);

}  // namespace stepbench::campaign
