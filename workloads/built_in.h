// SPDX-License-Identifier: Apache-2.0
// The catalogue of this project: which workloads there are, the sections that each reads, and the
// rules of their options. Each section is declared beside its code.
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
