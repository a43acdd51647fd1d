// SPDX-License-Identifier: Apache-2.0
// What a search for a commit would build and launch, for people. Pure; any thread.
#pragma once

#include <string>

#include "harness/bisect/bisect_plan.h"

namespace stepbench::report {

[[nodiscard]] std::string bisect_plan_text(const bisect::BisectRequest& request,
                                           const bisect::BisectPlan& planned);

}  // namespace stepbench::report
