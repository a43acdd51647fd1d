// SPDX-License-Identifier: Apache-2.0
// Implements `stepbench bisect`: builds commits, measures each in alternation with the good end as
// `ab` does, and continues until the culprit is found or cannot be. All launches and programs stay
// in the search's folder, so that an interrupted search resumes to the same answer. Prints only
// progress. Main thread only.
#pragma once

#include "harness/base/clock.h"
#include "harness/bisect/bisect_result.h"
#include "harness/bisect/internal/bisect_request.h"
#include "harness/campaign/context.h"
#include "harness/run/interrupts.h"
#include "harness/run/progress.h"

namespace stepbench::bisect {

// Throws ConfigError for user errors; the folder then keeps what was measured.
[[nodiscard]] BisectRun run_bisect(const BisectRequest& request,
                                   const campaign::CampaignContext& context,
                                   run::Progress& progress, run::Interrupts& interrupts,
                                   const Clock& clock);

}  // namespace stepbench::bisect
