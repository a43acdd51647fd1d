// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/confirm_campaign.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/campaign/ab_arms.h"
#include "harness/campaign/confirm_environment.h"
#include "harness/campaign/planning.h"
#include "harness/campaign/run_ab.h"
#include "harness/campaign/run_request.h"
#include "harness/run/data_digest.h"
#include "harness/track/bridge.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

// The process's working folder, until the end of the block.
class WorkingFolder {
 public:
  explicit WorkingFolder(const fs::path& folder) : before_(fs::current_path()) {
    if (!folder.empty()) fs::current_path(folder);
  }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;
  ~WorkingFolder() {
    std::error_code ignored;
    fs::current_path(before_, ignored);
  }
  [[nodiscard]] const fs::path& before() const { return before_; }

 private:
  fs::path before_;
};

std::vector<std::string> cases_of(const ConfirmRequest& request, const CampaignSetup& setup) {
  std::set<std::string> ids;
  for (const std::size_t place : setup.suspects) ids.insert(request.suspects[place].case_id);
  return {ids.begin(), ids.end()};
}

ArmsRequest arms_request(const ConfirmRequest& request, const CampaignSetup& setup) {
  const track::TrackedRun& tonight = request.tonight;
  std::int64_t steps = 0;
  for (const std::size_t place : setup.suspects) {
    steps = std::max(steps, request.suspects[place].steps);
  }
  return {.file = tonight.config_path,
          .text = tonight.config_text,
          .a = setup.good.path.string(),
          .b = setup.tonight.path.string(),
          .set = tonight.asked.set,
          .sweep = tonight.asked.sweep,
          .cases = cases_of(request, setup),
          .profile = setup.profile ? 1 : 0,
          .max_cases = plan::kMostCases,
          .auto_steps = steps};
}

RecordedEnvironments recorded_environments(const ConfirmRequest& request, const AbArms& arms) {
  RecordedEnvironments recorded{
      .tonight = request.tonight.environment,
      .of_cases = {"intra_op_threads", "inter_op_threads", "env.OMP_NUM_THREADS",
                   "env.MKL_NUM_THREADS", "env.MALLOC_MMAP_THRESHOLD_",
                   "env.MALLOC_TRIM_THRESHOLD_"}};
  for (const plan::PlannedCase& planned : arms.b.plan.cases) {
    for (const auto& [name, value] : planned.resolved.options) {
      if (name.starts_with("env.")) recorded.of_cases.insert(name);
    }
  }
  return recorded;
}

AbRequest ab_request(const ConfirmRequest& request, const CampaignSetup& setup, ArmsRequest asked,
                     const AbArms& arms) {
  std::vector<std::size_t> looks;
  if (!request.bridge) {
    std::copy_if(track::kLooks.begin(), track::kLooks.end(), std::back_inserter(looks),
                 [&](std::size_t look) { return look < request.pairs; });
  }
  return {.arms = std::move(asked),
          .pairs = static_cast<std::int64_t>(request.pairs),
          .looks = std::move(looks),
          .seed = setup.seed,
          .allow = request.allow,
          .labels = {"confirm=" + request.tonight.run_id},
          .results = setup.results,
          .resume = setup.resume,
          .lock = request.lock,
          .purpose = "confirm",
          .context = {{"confirm", request.tonight.run_id},
                      {"confirm_good", request.good ? request.good->run_id : std::string()},
                      {"confirm_number", std::int64_t{setup.number}}},
          .refuses = EnvironmentWatch(recorded_environments(request, arms))};
}

// A case that an arm's plan skips on this machine.
ConfirmFinding finding_of(const compare::AbMissing& missing) {
  if (!missing.in_a) {
    return {.kind = FindingKind::kNotComparable,
            .why = "the last good build cannot measure this case here: " + missing.reason,
            .good_fails = true};
  }
  return {.why = "tonight's build cannot measure this case here: " + missing.reason};
}

ConfirmFinding finding_of(const Suspect& suspect, const AbArms& arms,
                          const JudgedCampaign& campaign) {
  for (const compare::AbPoint& point : arms.points) {
    if (point.a_case == suspect.case_id) return judge_suspect(suspect, point, campaign);
  }
  for (const compare::AbMissing& missing : arms.missing) {
    if (missing.point.case_id == suspect.case_id) return finding_of(missing);
  }
  return {.why = "the case is not in the plan of the last good build"};
}

}  // namespace

CampaignEnd run_confirm_campaign(const ConfirmRequest& request, const CampaignSetup& setup,
                                 const CampaignContext& context, run::Progress& progress,
                                 run::Interrupts& interrupts, const Clock& clock,
                                 const std::function<void(const fs::path&)>& on_start) {
  const WorkingFolder working(request.tonight.asked.folder);
  ArmsRequest asked = arms_request(request, setup);
  CampaignEnd end{.campaign = {.number = setup.number,
                               .good_worker = setup.good.path.string(),
                               .tonight_worker = setup.tonight.path.string(),
                               .resumed = !setup.resume.empty()}};
  std::optional<AbArms> resolved;
  try {
    resolved = resolve_arms(asked, context);
  } catch (const ConfigError& error) {
    end.not_planned = error.what();
    return end;
  }
  const AbArms& arms = *resolved;
  AbRequest ab = ab_request(request, setup, std::move(asked), arms);
  check_request(ab);
  if (!ab.looks.empty()) {
    ab.is_over = [&, columns = plan_ab(ab, arms).columns](const record::Results& finished,
                                                          const compare::AbPoint& point,
                                                          std::size_t pairs) {
      return std::all_of(setup.suspects.begin(), setup.suspects.end(), [&](std::size_t place) {
        const Suspect& suspect = request.suspects[place];
        return suspect.case_id != point.a_case || is_over(suspect, point, finished, columns, pairs);
      });
    };
  }
  const AbRun run =
      run_ab(ab, arms, context, progress, interrupts, clock, [&](const fs::path& folder) {
        const WorkingFolder back(working.before());
        on_start(folder);
      });
  end.campaign.folder = run.run_folder;
  end.signal = run.signal;
  end.refused = run.refused;
  if (run.signal || run.refused) return end;
  for (const compare::Gate& gate : run.comparison.gates) {
    if (gate.state != compare::GateState::kPassed) end.campaign.gates.push_back(gate);
  }
  const record::Results results = record::read_results(run.run_folder);
  const JudgedCampaign judged{results, results.columns, run.comparison, request.pairs,
                              request.bridge};
  for (const std::size_t place : setup.suspects) {
    end.findings.emplace(place, finding_of(request.suspects[place], arms, judged));
  }
  return end;
}

PlannableCases plannable_cases(const track::TrackedRun& tonight, const run::WorkerProgram& program,
                               const CampaignContext& context) {
  const WorkingFolder working(tonight.asked.folder);
  PlannableCases plannable;
  try {
    const Planned planned = make_plan_here({.file = tonight.config_path,
                                            .text = tonight.config_text,
                                            .set = tonight.asked.set,
                                            .sweep = tonight.asked.sweep,
                                            .filter = tonight.asked.filter,
                                            .max_cases = plan::kMostCases},
                                           program, context);
    plan::Plan plan = planned.plan;
    for (const plan::PlannedCase& each : plan.cases) {
      plannable.case_ids.push_back(each.resolved.case_id);
    }
    keep_cases(plan, tonight.asked.cases);
    plannable.data_digest = run::data_digest(plan, planned.catalogue);
  } catch (const ConfigError& error) {
    plannable.why_not = error.what();
  }
  return plannable;
}

}  // namespace stepbench::campaign
