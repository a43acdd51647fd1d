// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/planning.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "harness/machine/environment.h"
#include "harness/run/worker_program.h"

namespace stepbench {
Planned make_plan_here(PlanRequest request, const std::optional<WorkerProgram>& worker,
                       const CampaignContext& context) {
  namespace fs = std::filesystem;
  request.variables = context.variables;
  request.cores = cores_in_affinity("/");
  request.cuda_available = cuda_available(context.devices, context.variables);
  std::error_code ignored;
  const bool own =
      !worker || fs::equivalent(worker->path, context.program_dir / "stepbench-worker", ignored);
  if (own) {
    const BuiltInWorkloads& built_in = context.built_in;
    // Rules are linked in, but a plug-in is loaded by a worker only. It is started when a case
    // needs it.
    const ForeignCheck by_worker = [&](std::span<const ResolvedCase> cases,
                                       const RuleFacts& facts) {
      const WorkerProgram program = worker ? *worker : find_worker("", context.program_dir);
      return check_by(program)(cases, facts);
    };
    return {built_in.catalogue,
            make_checked_plan(request, built_in.catalogue,
                              built_in.needs_worker_check == nullptr ? ForeignCheck{} : by_worker,
                              built_in.rules, built_in.needs_worker_check)};
  }
  Catalogue catalogue =
      describe_worker(*worker, cache_directory(context.variables), ask_limit(request.set));
  Plan plan = make_checked_plan(request, catalogue, check_by(*worker));
  return {std::move(catalogue), std::move(plan)};
}

std::optional<ProfileRequest> profile_of(const ResolvedCase& resolved) {
  const std::string engine = resolved.text_or("profile.ops", "none");
  if (engine == "none") return std::nullopt;
  return ProfileRequest{engine == "kineto" ? Pass::kKineto : Pass::kNative,
                        static_cast<int>(resolved.integer("profile.launches"))};
}

}  // namespace stepbench
