// SPDX-License-Identifier: Apache-2.0
// Plans of this machine: with the built-in workloads or with another worker's catalogue and rules.
#pragma once

#include <optional>
#include <string>

#include "harness/base/pass.h"
#include "harness/campaign/context.h"
#include "harness/plan/plan.h"
#include "harness/run/worker_program.h"

namespace stepbench::campaign {

struct Planned {
  Catalogue catalogue;
  plan::Plan plan;
};

// With the built-in workloads or, when `worker` names another program than our own, with that one's
// catalogue and rules. Fills in what the request needs to know of this machine. Throws ConfigError.
[[nodiscard]] Planned make_plan_here(plan::PlanRequest request,
                                     const std::optional<run::WorkerProgram>& worker,
                                     const CampaignContext& context);

// The program that measures the plan's cases where the user names none: the one beside this
// program, or for scripts the Python one. Throws ConfigError where a plan needs both.
[[nodiscard]] run::WorkerProgram worker_of(const plan::Plan& plan, const CampaignContext& context);

// Throws os::OutputRefused where a file of context.outputs is `worker`, or a file that an option of
// the plan names: a script, a plug-in, data.
void check_plan_files(const plan::Plan& plan, const run::WorkerProgram* worker,
                      const CampaignContext& context);

// Groups that this machine cannot start: more ranks than CUDA devices where each takes one, or a
// `distributed.bind` that it has not. The first are skipped where they are some of several cases,
// else it throws ConfigError, and for the second always. Scripts choose devices themselves.
void check_ranks(plan::Plan& plan, const CampaignContext& context);

// Launches that record each operation, as the case's `profile` section asks for them.
struct ProfileRequest {
  Pass engine = Pass::kNative;
  int launches = 1;
};
[[nodiscard]] std::optional<ProfileRequest> profile_of(
    const ResolvedCase& resolved);  // nullopt if it asks for none

// Pairs that a night plans of a case: half of its launches, at least four. None of a control case,
// which tonight's program measures alone.
[[nodiscard]] int night_pairs(const ResolvedCase& resolved);

}  // namespace stepbench::campaign
