// SPDX-License-Identifier: Apache-2.0
// What `stepbench tune` does: measures the points of an experiment's sweep by halving, compares the
// winner with the file's own settings by fresh pairs, and writes it down. All launches stay in the
// search's folder, so that one that was cut off goes on to the same answer. Prints nothing but
// progress. Main thread only.
#pragma once

#include "harness/base/clock.h"
#include "harness/campaign/context.h"
#include "harness/run/interrupts.h"
#include "harness/run/progress.h"
#include "harness/tune/tune_request.h"
#include "harness/tune/tune_run.h"

namespace stepbench::tune {

// Throws ConfigError for what the user can mend; the folder keeps what was measured.
[[nodiscard]] TuneRun run_tune(const TuneRequest& request, const campaign::CampaignContext& context,
                               run::Progress& progress, run::Interrupts& interrupts,
                               const Clock& clock);

}  // namespace stepbench::tune
