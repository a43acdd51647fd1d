// SPDX-License-Identifier: Apache-2.0
// Makes a plan (harness/plan/plan.h): selects cases by --filter and --shard, and applies the rules
// of a worker that is not linked in. Throws ConfigError.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/value.h"
#include "harness/plan/option_index.h"
#include "harness/plan/plan.h"
#include "harness/rule.h"

namespace stepbench::plan {

// `--filter num_workers=4,8`: keeps cases in which the option has one of the values; all filters
// must match. Throws ConfigError{"--filter num_wrokers"} for unknown and ambiguous names, invalid
// values, and if no case is left.
void keep_filtered(std::span<const std::string> filters, const OptionIndex& index,
                   std::vector<PlannedCase>& cases);

// Keeps every count-th case from index on: shards are disjoint, cover the plan and keep its order.
// Throws ConfigError{"--shard"} for invalid numbers.
void keep_shard(const Shard& shard, std::vector<PlannedCase>& cases);

// Rules of a worker that is not linked in: called once for all cases of a plan. Its answers are
// mapped to file:line:column like those of built-in rules.

// One answer per case, in order. Called at most once per plan, with the cases before --filter and
// --shard.
using ForeignCheck = std::function<std::vector<CheckAnswer>(std::span<const ResolvedCase> cases,
                                                            const RuleFacts& facts)>;

// make_plan() with the rules of another program, after `rules` of this one. Empty `check`: the
// worker has no `check`. It is only called if a case `concerns` it; null: every case does.
[[nodiscard]] Plan make_checked_plan(const PlanRequest& request, const Catalogue& catalogue,
                                     const ForeignCheck& check,
                                     std::span<const WorkloadRule> rules = {},
                                     bool (*concerns)(const ResolvedCase& resolved) = nullptr);

}  // namespace stepbench::plan
