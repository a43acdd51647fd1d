// SPDX-License-Identifier: Apache-2.0
// Confirms the gain of a search: fresh alternating pairs of the winner and the file's own settings,
// by the rules of `ab`. The launches that selected the winner are not used. Main thread only.
#pragma once

#include <cstddef>
#include <string>

#include "harness/campaign/run_experiment.h"
#include "harness/tune/tune_plan.h"
#include "harness/tune/tune_result.h"

namespace stepbench::tune {

// Measures into a folder below that of `run`, whose points must be described; resumes an
// interrupted confirmation. `own_text`: the experiment without its sweep. False: interrupted.
[[nodiscard]] bool confirm(const TuneRequest& request, const std::string& own_text,
                           const campaign::Launching& launching, TuneRun& run);

// Command for users to compare the winner's file with the original settings.
[[nodiscard]] std::string command_to_confirm(const TuneRun& run, const std::string& worker);

}  // namespace stepbench::tune
