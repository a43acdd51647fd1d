// SPDX-License-Identifier: Apache-2.0
// Gives both arms of a comparison the same window and warm-up. Pure.
#pragma once

#include <set>
#include <string>

#include "harness/base/resolved_case.h"

namespace stepbench::campaign {

// Sets the window and warm-up of both arms of a point to the larger ones, rounded up to whole turns
// of either arm's workers, so that they fit both loaders. Changes nothing if neither has a loader
// with workers, nor any option in `kept`. Returns whether anything changed.
bool align_schedules(const std::set<std::string>& kept, ResolvedCase& a, ResolvedCase& b);

}  // namespace stepbench::campaign
