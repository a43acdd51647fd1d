// SPDX-License-Identifier: Apache-2.0
// The same window and warm-up for both arms of a comparison. Pure.
#pragma once

#include <set>
#include <string>

#include "harness/base/resolved_case.h"

namespace stepbench::campaign {

// Both arms of a point get the same window and warm-up, such that they fit the loaders of both:
// the larger ones, rounded up to whole turns of either arm's workers. Where neither has a loader
// with workers, and in options that are `kept`, nothing changes. True when something did.
bool align_schedules(const std::set<std::string>& kept, ResolvedCase& a, ResolvedCase& b);

}  // namespace stepbench::campaign
