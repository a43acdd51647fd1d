// SPDX-License-Identifier: Apache-2.0
// How much equal launches differed in earlier runs: what decides how small a change can be found.
#pragma once

#include <filesystem>
#include <optional>

#include "harness/plan/plan.h"

namespace stepbench::campaign {

// Relative standard deviation of the step over the launches of a case, as the median over the cases
// of the plan that the newest runs in `results_dir` measured at least three times. nullopt: none
// did. Unreadable runs are passed over.
[[nodiscard]] std::optional<double> earlier_spread(const plan::Plan& plan,
                                                   const std::filesystem::path& results_dir);

}  // namespace stepbench::campaign
