// SPDX-License-Identifier: Apache-2.0
// `stepbench doctor --measure`: launches of three small cases in turns for a while, whose results
// are not kept, to see what this machine can show.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/base/clock.h"
#include "harness/campaign/run_experiment.h"
#include "harness/compare/machine_noise.h"

namespace stepbench::campaign {

// An experiment of which every case is launched in turns; `names` are those of its cases, in order.
struct MachineCases {
  std::string yaml;
  std::vector<std::string> names;
};
// Arithmetic in the cache, weights that are read and written in each step, and workers that the
// step waits for.
[[nodiscard]] MachineCases machine_cases();

struct MachineRun {
  compare::MachineNoise noise = {};  // without `machine`
  std::optional<int> signal = {};    // that interrupted it
  std::string failed = {};           // the reason of a launch that failed; empty: none did
};

// Begins no launch when `seconds` are over, or where the first one failed. Throws Error for what
// the user can mend, such as a missing worker. Main thread only.
[[nodiscard]] MachineRun measure_machine(const MachineCases& cases, double seconds,
                                         RunRequest request, const CampaignContext& context,
                                         run::Progress& progress, run::Interrupts& interrupts,
                                         const Clock& clock);

}  // namespace stepbench::campaign
