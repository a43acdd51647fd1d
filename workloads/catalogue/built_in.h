// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench {

// The harness's sections and all built-in workloads with theirs. Both programs link this; it needs
// no torch.
[[nodiscard]] const Catalogue& built_in_catalogue();
[[nodiscard]] std::span<const WorkloadRule> built_in_rules();

}  // namespace stepbench
