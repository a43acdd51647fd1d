// SPDX-License-Identifier: Apache-2.0
// Prints the noise of a machine, and quotes it in other commands.
#pragma once

#include <span>
#include <string>

#include "harness/compare/comparison.h"
#include "harness/compare/machine_noise.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// The table of `doctor --measure` and its explanation.
[[nodiscard]] std::string machine_text(const compare::MachineNoise& noise,
                                       const Environment& environment);

// One line with the stored result of `doctor --measure`, or why its file cannot be used; empty if
// nothing is stored.
[[nodiscard]] std::string stored_machine_text(const Environment& environment);

// Adds that line to each comparison with an undecided metric, if all its launches were measured on
// this host.
void quote_machine(const Environment& environment, std::span<compare::Comparison> comparisons);

}  // namespace stepbench::cli
