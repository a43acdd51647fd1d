// SPDX-License-Identifier: Apache-2.0
// Texts about the smallest detectable change: from the noise of this machine that `doctor
// --measure` found, and from two runs of a plan.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "harness/plan/plan.h"
#include "harness/verdict/comparison.h"
#include "harness/verdict/detectable_change.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// The table of `doctor --measure` and its explanation.
[[nodiscard]] std::string machine_text(const verdict::MachineNoise& noise,
                                       const Environment& environment);

// One line with the stored result of `doctor --measure`, or why its file cannot be used; empty if
// nothing is stored.
[[nodiscard]] std::string stored_machine_text(const Environment& environment);

// Adds that line to each comparison with an undecided metric, if all its launches were measured on
// this host.
void quote_machine(const Environment& environment, std::span<verdict::Comparison> comparisons);

// Two runs of a plan: the smallest change that they can detect, and the effort to detect a given
// one.

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
