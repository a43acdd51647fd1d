// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/planning.h"

#include <algorithm>
#include <filesystem>

#include "harness/machine/environment.h"
#include "harness/run/foreign_worker.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

bool has_plugin(const ResolvedCase& resolved) {
  return resolved.has("model.kind") && resolved.text("model.kind") == "plugin";
}

// Built-in rules are linked in, but only a worker loads a plug-in. It is started when there is one.
ForeignCheck plugins_checked_by(const std::function<WorkerProgram()>& worker) {
  return [worker](std::span<const ResolvedCase> cases, const RuleFacts& facts) {
    if (std::any_of(cases.begin(), cases.end(), has_plugin))
      return check_by(worker())(cases, facts);
    return std::vector<CheckAnswer>(cases.size());
  };
}

}  // namespace

Planned make_plan_here(PlanRequest request, const std::optional<WorkerProgram>& worker,
                       const Devices& devices, const Environment& environment) {
  namespace fs = std::filesystem;
  request.variables = environment.variables;
  request.cores = cores_in_affinity("/");
  request.cuda_available = cuda_available(devices, environment.variables);
  std::error_code ignored;
  const bool own =
      !worker ||
      fs::equivalent(worker->path, fs::path{environment.program_dir} / "stepbench-worker", ignored);
  if (own) {
    const auto find = [&] { return worker ? *worker : find_worker("", environment.program_dir); };
    return {built_in_catalogue(), make_checked_plan(request, built_in_catalogue(),
                                                    plugins_checked_by(find), built_in_rules())};
  }
  Catalogue catalogue = describe_worker(*worker, cache_directory(environment.variables));
  Plan plan = make_checked_plan(request, catalogue, check_by(*worker));
  return {std::move(catalogue), std::move(plan)};
}

}  // namespace stepbench::cli
