// SPDX-License-Identifier: Apache-2.0
// The catalogue of this project: its workloads, the sections that each reads, and the rules of
// their options. Each section is declared next to its code.
#pragma once

#include <span>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench {

// The harness's sections and all built-in workloads with theirs. Linked into both programs;
// torch-free.
[[nodiscard]] const Catalogue& built_in_catalogue();
[[nodiscard]] std::span<const WorkloadRule> built_in_rules();

}  // namespace stepbench
