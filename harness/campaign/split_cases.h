// SPDX-License-Identifier: Apache-2.0
// Finds cases of a history whose id changed when rules of their workload began to apply to workers
// at any path. Before, a worker given by path measured the options exactly as in the file. Pure.
#pragma once

#include <span>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"
#include "harness/track/merged_cases.h"

namespace stepbench::campaign {

// Verified by the options: without the rules they give the id in the history, with the rules
// another one. Omits cases of workloads unknown to the catalogue. In the order of the history.
[[nodiscard]] std::vector<track::MergedCase> split_cases(const track::History& history,
                                                         const Catalogue& catalogue,
                                                         std::span<const WorkloadRule> rules);

}  // namespace stepbench::campaign
