// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/planning.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "harness/base/error.h"
#include "harness/machine/environment.h"
#include "harness/machine/launcher_environment.h"
#include "harness/run/interpreter.h"
#include "harness/run/script_worker.h"
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

WorkerProgram worker_of(const Plan& plan, const CampaignContext& context) {
  const auto is_script = [](const PlannedCase& planned) {
    return planned.resolved.workload == kScriptWorkload;
  };
  const auto scripts = std::count_if(plan.cases.begin(), plan.cases.end(), is_script);
  if (scripts == 0) return find_worker("", context.program_dir);
  if (scripts != std::ssize(plan.cases)) {
    throw ConfigError(source_name(plan.file),
                      std::string(kScriptWorkload) +
                          " and other workloads are measured by different programs: put them into "
                          "an experiment each");
  }
  for (const PlannedCase& planned : plan.cases) {
    (void)find_interpreter(launcher_environment(context.variables, planned.resolved).variables);
  }
  return find_script_worker(context.program_dir);
}

std::optional<ProfileRequest> profile_of(const ResolvedCase& resolved) {
  const std::string engine = resolved.text_or("profile.ops", "none");
  if (engine == "none") return std::nullopt;
  return ProfileRequest{engine == "kineto" ? Pass::kKineto : Pass::kNative,
                        static_cast<int>(resolved.integer("profile.launches"))};
}

}  // namespace stepbench
