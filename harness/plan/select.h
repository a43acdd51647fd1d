// SPDX-License-Identifier: Apache-2.0
// Selects cases of a plan: --filter and --shard.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/plan/option_index.h"
#include "harness/plan/plan.h"

namespace stepbench::plan {

// `--filter num_workers=4,8`: keeps cases in which the option has one of the values; all filters
// must match. Throws ConfigError{"--filter num_wrokers"} for unknown and ambiguous names, invalid
// values, and if no case is left.
void keep_filtered(std::span<const std::string> filters, const OptionIndex& index,
                   std::vector<PlannedCase>& cases);

// Keeps every count-th case from index on: shards are disjoint, cover the plan and keep its order.
// Throws ConfigError{"--shard"} for invalid numbers.
void keep_shard(const Shard& shard, std::vector<PlannedCase>& cases);

}  // namespace stepbench::plan
