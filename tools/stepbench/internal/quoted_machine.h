// SPDX-License-Identifier: Apache-2.0
// What `doctor --measure` found on this machine, quoted by other commands.
#pragma once

#include <span>
#include <string>

#include "harness/verdict/comparison.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// One line with the stored result of `doctor --measure`, or why its file cannot be used; empty if
// nothing is stored.
[[nodiscard]] std::string stored_machine_text(const Environment& environment);

// Adds that line to each comparison with an undecided metric, if all its launches were measured on
// this host.
void quote_machine(const Environment& environment, std::span<verdict::Comparison> comparisons);

}  // namespace stepbench::cli
