// SPDX-License-Identifier: Apache-2.0
// What is said of a search for the commit that made a step slower, before it and after. Pure; any
// thread.
#pragma once

#include <string>

#include "harness/bisect/bisect_plan.h"
#include "harness/bisect/bisect_run.h"
#include "harness/document/document.h"

namespace stepbench::report {

// The answer, the commits that were judged, and what differs inside a step between the culprit and
// the commit before it.
[[nodiscard]] document::Document bisect_document(const bisect::BisectRun& run);

// What it would build and launch.
[[nodiscard]] std::string bisect_plan_text(const bisect::BisectRequest& request,
                                           const bisect::BisectPlan& planned);

}  // namespace stepbench::report
