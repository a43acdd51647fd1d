// SPDX-License-Identifier: Apache-2.0
// `stepbench plan --probe`: one smoke launch of each case, whose results are not kept, to find out
// in seconds what cannot run and about how long the rest will take.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/campaign/launch_cost.h"
#include "harness/campaign/run_experiment.h"

namespace stepbench::campaign {

struct Probe {
  int exit_status = 0;             // as of `run --smoke`
  std::optional<int> signal = {};  // that interrupted it
  KnownCosts costs = {};           // of the launches that were measured
  std::vector<record::LaunchRow> failed = {};
};

// Plans `request` anew with the smoke schedule and measures it in a temporary folder, which is gone
// when this returns. All arguments outlive the call. Throws Error for what the user can mend.
[[nodiscard]] Probe probe_cases(RunRequest request, const CampaignContext& context,
                                run::Progress& progress, run::Interrupts& interrupts,
                                const Clock& clock);

}  // namespace stepbench::campaign
