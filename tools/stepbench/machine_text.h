// SPDX-License-Identifier: Apache-2.0
// What a machine can show, for people; and where commands quote it.
#pragma once

#include <span>
#include <string>

#include "harness/compare/comparison.h"
#include "harness/compare/machine_noise.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// The table of `doctor --measure` and what it means.
[[nodiscard]] std::string machine_text(const compare::MachineNoise& noise,
                                       const Environment& environment);

// A line that quotes what `doctor --measure` found here, or says why its file cannot be used; empty
// where nothing was kept.
[[nodiscard]] std::string kept_machine_text(const Environment& environment);

// Puts it into each comparison with a metric that is not decided, if all of its launches were
// measured on this host.
void quote_machine(const Environment& environment, std::span<compare::Comparison> comparisons);

}  // namespace stepbench::cli
