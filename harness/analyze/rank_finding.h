// SPDX-License-Identifier: Apache-2.0
// Who holds the others up, as a finding of a launch. Pure; any thread.
#pragma once

#include <optional>

#include "harness/analyze/ranks.h"
#include "harness/findings/finding.h"

namespace stepbench::analyze {

// A rank that is the slowest of equal ones as often as this rank was: no more probable than this.
inline constexpr double kStragglerChance = 0.01;

// Nothing where no rank is named, or where chance alone may have chosen it. Without collectives
// waiting cannot be told from work: what is slow then is slow alone, and holds nobody up.
[[nodiscard]] std::optional<Finding> straggler_finding(const RankReport& report);

}  // namespace stepbench::analyze
