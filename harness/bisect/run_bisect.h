// SPDX-License-Identifier: Apache-2.0
// What `stepbench bisect` does: builds commits, measures each in turns with the good end as `ab`
// does, and goes on until the culprit is named or cannot be. All launches and programs stay in the
// search's folder, so that one that was cut off goes on to the same answer. Prints nothing but
// progress. Main thread only.
#pragma once

#include "harness/base/clock.h"
#include "harness/bisect/bisect_request.h"
#include "harness/bisect/bisect_run.h"
#include "harness/campaign/context.h"
#include "harness/run/interrupts.h"
#include "harness/run/progress.h"

namespace stepbench::bisect {

// Throws ConfigError for what the user can mend; then the folder keeps what was measured.
[[nodiscard]] BisectRun run_bisect(const BisectRequest& request,
                                   const campaign::CampaignContext& context,
                                   run::Progress& progress, run::Interrupts& interrupts,
                                   const Clock& clock);

}  // namespace stepbench::bisect
