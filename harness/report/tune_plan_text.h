// SPDX-License-Identifier: Apache-2.0
// Describes the measurements of a search.
#pragma once

#include <string>

#include "harness/tune/tune_plan.h"

namespace stepbench::report {

// Points, rungs, their cost by earlier results, and whether the budget suffices.
[[nodiscard]] std::string tune_plan_text(const tune::TuneRequest& request,
                                         const tune::TunePlan& planned);

}  // namespace stepbench::report
