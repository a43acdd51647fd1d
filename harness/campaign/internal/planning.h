// SPDX-License-Identifier: Apache-2.0
// Makes plans on this machine, with the built-in workloads or another worker's catalogue and rules.
#pragma once

#include <optional>
#include <string>

#include "harness/base/pass.h"
#include "harness/campaign/internal/context.h"
#include "harness/plan/plan.h"
#include "harness/run/worker_program.h"

namespace stepbench::campaign {

struct Planned {
  Catalogue catalogue;
  plan::Plan plan;
};

// Plans with the built-in workloads or, if `worker` is another program, with its catalogue and
// rules. Fills in what the request needs to know about this machine. Throws ConfigError.
[[nodiscard]] Planned make_plan_here(plan::PlanRequest request,
                                     const std::optional<run::WorkerProgram>& worker,
                                     const CampaignContext& context);

// Returns the default program for the plan's cases: the one next to this program or, for scripts,
// the Python one. Throws ConfigError if a plan needs both.
[[nodiscard]] run::WorkerProgram worker_of(const plan::Plan& plan, const CampaignContext& context);

// Throws os::OutputRefused if a file of context.outputs is `worker` or a file named by an option of
// the plan: a script, a plug-in, data.
void check_plan_files(const plan::Plan& plan, const run::WorkerProgram* worker,
                      const CampaignContext& context);

// Handles groups that this machine cannot start. Groups with more ranks than CUDA devices, if each
// rank takes one, are skipped if the plan has other cases, otherwise ConfigError is thrown. A
// `distributed.bind` that this machine lacks always throws ConfigError. Scripts are not checked for
// devices, because they choose them themselves.
void check_ranks(plan::Plan& plan, const CampaignContext& context);

// Launches that record operations, as requested by the case's `profile` section.
struct ProfileRequest {
  Pass engine = Pass::kNative;
  int launches = 1;
};
[[nodiscard]] std::optional<ProfileRequest> profile_of(
    const ResolvedCase& resolved);  // nullopt if it asks for none

// Number of pairs that a night plans for a case: half of its launches, at least four. 0 for a
// control case, which only tonight's program measures.
[[nodiscard]] int night_pairs(const ResolvedCase& resolved);

// Throws ConfigError for a column by which the rows of such a run cannot be sorted. Empty: none.
void check_sort(const std::string& sort, const plan::Plan& plan);

}  // namespace stepbench::campaign
