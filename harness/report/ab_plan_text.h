// SPDX-License-Identifier: Apache-2.0
// Output of `ab --dry-run`: the arms, the pairs of cases, the tests, launches and time.
#pragma once

#include <string>

#include "harness/campaign/run_ab.h"

namespace stepbench::report {

// Reads earlier runs in the results folder to estimate the time. Throws ConfigError as measuring
// would.
[[nodiscard]] std::string ab_plan_text(const campaign::AbRequest& request,
                                       const campaign::AbArms& arms);

}  // namespace stepbench::report
