// SPDX-License-Identifier: Apache-2.0
// A short name of a planned case for people. Pure; any thread.
#pragma once

#include <string>

#include "harness/plan/plan.h"

namespace stepbench {

// "num_workers=4 pin_memory=true": the options in which this case differs from others of the plan.
[[nodiscard]] std::string case_label(const Plan& plan, const ResolvedCase& resolved);

}  // namespace stepbench
