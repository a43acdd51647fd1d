// SPDX-License-Identifier: Apache-2.0
// What `ab --dry-run` prints: the arms, the pairs of cases, what is tested, launches and time.
#pragma once

#include <string>

#include "harness/campaign/run_ab.h"

namespace stepbench::report {

// Reads earlier runs in the folder of results, for the time. Throws ConfigError, as measuring
// would.
[[nodiscard]] std::string ab_plan_text(const campaign::AbRequest& request,
                                       const campaign::AbArms& arms);

}  // namespace stepbench::report
