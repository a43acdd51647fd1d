// SPDX-License-Identifier: Apache-2.0
// What earlier runs of a plan say of how many launches and steps it takes to find a change.
#pragma once

#include <filesystem>
#include <string>

#include "harness/plan/plan.h"

namespace stepbench::cli {

// A line for people; empty where no case of the plan was measured in `results_dir`.
[[nodiscard]] std::string noise_text(const plan::Plan& plan,
                                     const std::filesystem::path& results_dir);

}  // namespace stepbench::cli
