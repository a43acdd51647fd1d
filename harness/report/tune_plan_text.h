// SPDX-License-Identifier: Apache-2.0
// What a search would measure, for people.
#pragma once

#include <string>

#include "harness/tune/tune_plan.h"

namespace stepbench::report {

// Its points, its rungs, what they take by earlier results, and whether the allowance has room for
// that.
[[nodiscard]] std::string tune_plan_text(const tune::TuneRequest& request,
                                         const tune::TunePlan& planned);

}  // namespace stepbench::report
