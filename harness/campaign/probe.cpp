// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/probe.h"

#include "harness/campaign/run_folder.h"

namespace stepbench::campaign {
Probe probe_cases(RunRequest request, const CampaignContext& context, run::Progress& progress,
                  run::Interrupts& interrupts, const Clock& clock) {
  const ScratchFolder folder("stepbench-probe");
  request.smoke = true;
  request.launches = 0;
  request.results = folder.path();
  request.stores_results = false;
  const PlannedRun run = plan_experiment(request, context, true);
  const RunEnd end = run_experiment(request, run, context, progress, interrupts, clock);
  Probe probe{.exit_status = end.exit_status, .signal = end.signal, .costs = {.probed = true}};
  for (const record::Launch& launch : end.results.launches) {
    if (launch.row.outcome.kind == Outcome::Kind::kFailed) probe.failed.push_back(launch.row);
    if (const auto cost = cost_of(launch.row)) {
      probe.costs.by_case.emplace(launch.row.key.case_id, *cost);
    }
  }
  return probe;
}

}  // namespace stepbench::campaign
