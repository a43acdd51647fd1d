// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/planning.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <variant>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/catalogue/launchers.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/machine/environment.h"
#include "harness/run/launch.h"
#include "harness/run/worker_program.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
Planned make_plan_here(plan::PlanRequest request, const std::optional<run::WorkerProgram>& worker,
                       const CampaignContext& context) {
  namespace fs = std::filesystem;
  request.variables = context.variables;
  request.cores = static_cast<int>(std::ceil(machine::usable_cores("/")));
  request.cuda_available = cuda_available(context.devices, context.variables);
  std::error_code ignored;
  const bool own =
      !worker || fs::equivalent(worker->path, context.program_dir / "stepbench-worker", ignored);
  if (own) {
    const BuiltInWorkloads& built_in = context.built_in;
    // Rules are linked in, but only a worker can load a plug-in. It is started on demand.
    const plan::ForeignCheck by_worker = [&](std::span<const ResolvedCase> cases,
                                             const RuleFacts& facts) {
      const run::WorkerProgram program =
          worker ? *worker : run::find_worker("", context.program_dir);
      return run::check_by(program)(cases, facts);
    };
    return {built_in.catalogue,
            plan::make_checked_plan(
                request, built_in.catalogue,
                built_in.needs_worker_check == nullptr ? plan::ForeignCheck{} : by_worker,
                built_in.rules, built_in.needs_worker_check)};
  }
  Catalogue catalogue = run::describe_worker(*worker, run::cache_directory(context.variables),
                                             run::ask_limit(request.set));
  plan::Plan plan = plan::make_checked_plan(request, catalogue, run::check_by(*worker));
  return {std::move(catalogue), std::move(plan)};
}

run::WorkerProgram worker_of(const plan::Plan& plan, const CampaignContext& context) {
  const auto is_script = [](const plan::PlannedCase& planned) {
    return planned.resolved.workload == run::kScriptWorkload;
  };
  const auto scripts = std::count_if(plan.cases.begin(), plan.cases.end(), is_script);
  if (scripts == 0) return run::find_worker("", context.program_dir);
  if (scripts != std::ssize(plan.cases)) {
    throw ConfigError(plan::source_name(plan.file),
                      std::string(run::kScriptWorkload) +
                          " and other workloads are measured by different programs: put them into "
                          "an experiment each");
  }
  for (const plan::PlannedCase& planned : plan.cases) {
    (void)run::find_interpreter(
        machine::launcher_environment(context.variables, planned.resolved).variables);
  }
  return run::find_script_worker(context.program_dir);
}

void check_ranks(plan::Plan& plan, const CampaignContext& context) {
  const int devices = machine::visible_devices(context.devices, context.variables);
  for (plan::PlannedCase& planned : plan.cases) {
    const ResolvedCase& resolved = planned.resolved;
    const std::int64_t ranks = resolved.integer_or("distributed.ranks", 1);
    if (ranks < 2 || planned.skip) continue;
    run::check_bind(resolved.text_or("distributed.bind", "auto"));
    const std::string launcher = resolved.text_or("distributed.launcher", "local");
    const bool takes_devices =
        (resolved.workload == "train_step" || resolved.workload == "collective") &&
        resolved.text_or("device", "cpu") == "cuda";
    if (!takes_devices || catalogue::launcher_named(launcher).other_machines || ranks <= devices) {
      continue;
    }
    const std::string reason = formatted(
        "{} ranks take a CUDA device each, and {} starts all of them on this machine, which shows "
        "{}; use {}, or device: cpu",
        ranks, launcher, text::counted(devices, "device"),
        devices > 1 ? formatted("distributed.ranks: {}", devices) : std::string("one rank"));
    if (plan.cases.size() == 1) throw ConfigError("distributed.ranks", reason);
    planned.skip = "distributed.ranks: " + reason;
  }
}

void check_plan_files(const plan::Plan& plan, const run::WorkerProgram* worker,
                      const CampaignContext& context) {
  if (context.outputs.empty()) return;
  std::set<std::filesystem::path> named;
  if (worker != nullptr) named.insert(worker->path);
  for (const plan::PlannedCase& planned : plan.cases) {
    for (const auto& [name, value] : planned.resolved.options) {
      const auto* text = std::get_if<std::string>(&value);
      std::error_code error;
      if (text != nullptr && std::filesystem::is_regular_file(*text, error)) named.insert(*text);
    }
  }
  os::CommandFiles files{.outputs = context.outputs};
  for (const std::filesystem::path& path : named) files.inputs.push_back({"", path});
  os::check_files(files);
}

std::optional<ProfileRequest> profile_of(const ResolvedCase& resolved) {
  const std::string engine = resolved.text_or("profile.ops", "none");
  if (engine == "none") return std::nullopt;
  return ProfileRequest{engine == "kineto" ? Pass::kKineto : Pass::kNative,
                        static_cast<int>(resolved.integer("profile.launches"))};
}

int night_pairs(const ResolvedCase& resolved) {
  const auto control = resolved.options.find("track.control");
  if (control != resolved.options.end() && control->second == Value{true}) return 0;
  constexpr std::int64_t kMin = 4;
  return static_cast<int>(std::max(kMin, (resolved.integer_or("launches", 1) + 1) / 2));
}

void check_sort(const std::string& sort, const plan::Plan& plan) {
  if (sort.empty()) return;
  record::Results to_come;
  for (const plan::PlannedCase& planned : plan.cases) {
    to_come.unfinished.push_back(
        {.key = {.case_id = planned.resolved.case_id}, .options = planned.resolved.options});
  }
  std::vector<estimate::CaseRow> rows = estimate::case_rows(to_come);
  estimate::sort_rows(rows, sort);
}

}  // namespace stepbench::campaign
