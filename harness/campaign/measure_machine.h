// SPDX-License-Identifier: Apache-2.0
// `stepbench doctor --measure`: launches of small cases in turns for a while, whose results are not
// kept, to see what this machine can show, and how fast it is at known work.
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
// One for each control (compare/controls.h): with the folder of the JPEG files that one decodes,
// and on so many cores.
[[nodiscard]] MachineCases control_cases(const std::string& images, int cores);

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

struct ControlRun {
  compare::Controls controls = {};  // of `machine` torch alone
  std::optional<int> signal = {};
  std::string failed = {};
  std::vector<std::string> too_few = {};  // names of those that have too few launches
};

// The same of controls. Takes longer, up to four times `seconds`, where they have too few launches
// then.
[[nodiscard]] ControlRun measure_controls(const MachineCases& cases, double seconds,
                                          RunRequest request, const CampaignContext& context,
                                          run::Progress& progress, run::Interrupts& interrupts,
                                          const Clock& clock);

}  // namespace stepbench::campaign
