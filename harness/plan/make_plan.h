// SPDX-License-Identifier: Apache-2.0
// Makes a plan (harness/plan/plan.h): selects cases by --filter and --shard, and applies the rules
// of a worker that is not linked in. Throws ConfigError.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/value.h"
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

// Rules of a worker that is not linked in: called once for all cases of a plan. Its answers are
// mapped to file:line:column like those of built-in rules.

// One line of `WORKER check`: {"answer":"ok"} | {"answer":"skip","reason":"..."} |
// {"answer":"error","option":"loader.num_workers","reason":"..."}. Each may add "notes" and
// "plan_notes": [...], and the options that the rules changed: "schedule": {"schedule.active": 96,
// ...} and "options": {"loader.engine": "inline", ...}.
struct CheckAnswer {
  enum class Kind : std::uint8_t { kOk, kSkip, kError };
  Kind kind = Kind::kOk;
  std::string option = {};
  std::string reason = {};
  std::vector<std::string> notes = {};
  std::vector<std::string> plan_notes = {};  // not shown with results
  Fields options = {};                       // changed by the rules, by full name
};

// Throws Error describing what is wrong with the line.
[[nodiscard]] CheckAnswer check_answer_from_json(std::string_view line);

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
