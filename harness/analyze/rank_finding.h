// SPDX-License-Identifier: Apache-2.0
// Who holds the others up, as a finding of a launch. Pure; any thread.
#pragma once

#include <optional>
#include <span>

#include "harness/analyze/ranks.h"
#include "harness/findings/finding.h"

namespace stepbench::analyze {

// A rank that is the slowest of equal ones as often as this rank was: no more probable than this.
inline constexpr double kStragglerChance = 0.01;

// Nothing where no rank is named, or where chance alone may have chosen it. Without collectives
// waiting cannot be told from work: what is slow then is slow alone, and holds nobody up.
[[nodiscard]] std::optional<Finding> straggler_finding(const RankReport& report);

// What the straggler's own trace has found, put before the remedy where it is of the size of what
// the others wait for: of several such findings the one with most to be won.
void add_own_cause(std::span<const Finding> of_straggler, Finding& finding);

}  // namespace stepbench::analyze
