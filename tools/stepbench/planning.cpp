// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/planning.h"

#include <filesystem>

#include "harness/machine/environment.h"
#include "harness/run/foreign_worker.h"
#include "workloads/catalogue/built_in.h"

namespace stepbench::cli {

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
    return {built_in_catalogue(), make_plan(request, built_in_catalogue(), built_in_rules())};
  }
  Catalogue catalogue = describe_worker(*worker, cache_directory(environment.variables));
  Plan plan = make_checked_plan(request, catalogue, check_by(*worker));
  return {std::move(catalogue), std::move(plan)};
}

}  // namespace stepbench::cli
