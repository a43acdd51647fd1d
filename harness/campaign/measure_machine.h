// SPDX-License-Identifier: Apache-2.0
// Implements `stepbench doctor --measure`: launches three small cases in alternation for a while,
// without keeping the results, to find the smallest change that this machine can resolve.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/base/clock.h"
#include "harness/campaign/run_experiment.h"
#include "harness/compare/machine_noise.h"

namespace stepbench::campaign {

// An experiment whose cases are launched in alternation; `names` are those of its cases, in order.
struct MachineCases {
  std::string yaml;
  std::vector<std::string> names;
};
// Three cases: arithmetic in the cache, weights read and written in each step, waits for workers.
[[nodiscard]] MachineCases machine_cases();

struct MachineRun {
  compare::MachineNoise noise = {};  // `machine` is not set
  std::optional<int> signal = {};    // signal that interrupted it
  std::string failed = {};           // reason of a failed launch; empty: none failed
};

// Starts no launch after `seconds`, or if the first one failed. Throws Error for user errors, such
// as a missing worker. Main thread only.
[[nodiscard]] MachineRun measure_machine(const MachineCases& cases, double seconds,
                                         RunRequest request, const CampaignContext& context,
                                         run::Progress& progress, run::Interrupts& interrupts,
                                         const Clock& clock);

}  // namespace stepbench::campaign
