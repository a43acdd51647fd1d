// SPDX-License-Identifier: Apache-2.0
// Implements `stepbench plan --probe`: one smoke launch of each case, without keeping results, to
// find in seconds what cannot run and roughly how long the rest will take.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/campaign/plan_forecast.h"
#include "harness/campaign/run_experiment.h"

namespace stepbench::campaign {

struct Probe {
  int exit_status = 0;             // as for `run --smoke`
  std::optional<int> signal = {};  // signal that interrupted it
  KnownCosts costs = {};           // from the measured launches
  std::vector<record::LaunchRow> failed = {};
};

// Replans `request` with the smoke schedule and measures it in a temporary folder, which is removed
// on return. All arguments must outlive the call. Throws Error for user errors.
[[nodiscard]] Probe probe_cases(RunRequest request, const CampaignContext& context,
                                run::Progress& progress, run::Interrupts& interrupts,
                                const Clock& clock);

}  // namespace stepbench::campaign
