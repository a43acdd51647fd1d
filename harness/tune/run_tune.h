// SPDX-License-Identifier: Apache-2.0
// Implements `stepbench tune`: measures the points of an experiment's sweep by successive halving,
// compares the winner with the file's own settings by fresh pairs, and writes it down. All launches
// stay in the search's folder, so that an interrupted search resumes to the same answer. Prints
// only progress. Main thread only.
#pragma once

#include "harness/campaign/run_experiment.h"
#include "harness/tune/tune_plan.h"
#include "harness/tune/tune_result.h"

namespace stepbench::tune {

// Throws ConfigError for user errors; the folder keeps what was measured.
[[nodiscard]] TuneRun run_tune(const TuneRequest& request, const campaign::Launching& launching);

}  // namespace stepbench::tune
