// SPDX-License-Identifier: Apache-2.0
// Estimates the smallest change that two runs of a plan can detect, and the effort to detect a
// given one.
#pragma once

#include <filesystem>
#include <string>

#include "harness/plan/plan.h"

namespace stepbench::cli {

// One line for people; empty if there is nothing to run. `results_dir`: earlier runs, used to
// estimate the spread between launches. `machine`: stored noise of this machine; may be empty.
[[nodiscard]] std::string power_text(const plan::Plan& plan,
                                     const std::filesystem::path& results_dir,
                                     const std::string& machine);

// One line for people with the number of launches and steps needed to find a change, by earlier
// runs in `results_dir`; empty if no case of the plan was measured there.
[[nodiscard]] std::string noise_text(const plan::Plan& plan,
                                     const std::filesystem::path& results_dir);

}  // namespace stepbench::cli
