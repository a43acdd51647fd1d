// SPDX-License-Identifier: Apache-2.0
// How small a change two runs of a plan can tell, and what it takes to find one.
#pragma once

#include <filesystem>
#include <string>

#include "harness/plan/plan.h"

namespace stepbench::cli {

// One line for people; empty where nothing is to be run. `results_dir`: of earlier runs, whose
// launches say how far equal ones lie apart. `machine`: what was found of this machine; empty:
// nothing.
[[nodiscard]] std::string power_text(const plan::Plan& plan,
                                     const std::filesystem::path& results_dir,
                                     const std::string& machine);

// What earlier runs say of how many launches and steps it takes to find a change: a line for
// people, empty where no case of the plan was measured in `results_dir`.
[[nodiscard]] std::string noise_text(const plan::Plan& plan,
                                     const std::filesystem::path& results_dir);

}  // namespace stepbench::cli
