// SPDX-License-Identifier: Apache-2.0
// Output for a search for the commit that made a step slower, before and after it. Pure; any
// thread.
#pragma once

#include <string>

#include "harness/bisect/bisect_plan.h"
#include "harness/bisect/bisect_result.h"
#include "harness/document/document.h"

namespace stepbench::report {

// The answer, the judged commits, and what changed inside a step between the culprit and the commit
// before it.
[[nodiscard]] document::Document bisect_document(const bisect::BisectRun& run);

// What the search would build and launch.
[[nodiscard]] std::string bisect_plan_text(const bisect::BisectRequest& request,
                                           const bisect::BisectPlan& planned);

}  // namespace stepbench::report
