// SPDX-License-Identifier: Apache-2.0
// Cases of a history that have another id since rules of their workload are applied wherever a
// worker lies: before, one that was named by its path measured the options as the file had them.
// Pure.
#pragma once

#include <span>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"
#include "harness/track/merged_cases.h"

namespace stepbench::campaign {

// Proven by their options: without the rules they make the id that the history has, with the rules
// another one. Cases of workloads that the catalogue does not have are left out. In the order of
// the history.
[[nodiscard]] std::vector<track::MergedCase> split_cases(const track::History& history,
                                                         const Catalogue& catalogue,
                                                         std::span<const WorkloadRule> rules);

}  // namespace stepbench::campaign
