// SPDX-License-Identifier: Apache-2.0
// The rank that delays the others, as a finding of a launch. Pure; any thread.
#pragma once

#include <optional>
#include <span>

#include "harness/analyze/ranks.h"
#include "harness/findings/finding.h"

namespace stepbench::analyze {

// Largest accepted probability that a rank is the slowest this often if all ranks are equal.
inline constexpr double kStragglerChance = 0.01;

// nullopt if no straggler is named or chance may explain it. Also without collectives, because
// waiting then looks like work, and the slow rank delays no other.
[[nodiscard]] std::optional<Finding> straggler_finding(const RankReport& report);

// Puts the straggler's own finding before the remedy if its gain is of the size of the others'
// wait; of several such findings, the one with the largest gain.
void add_own_cause(std::span<const Finding> of_straggler, Finding& finding);

}  // namespace stepbench::analyze
