// SPDX-License-Identifier: Apache-2.0
// What the library's campaigns are given by a command that plans or measures.
#pragma once

#include "harness/base/clock.h"
#include "harness/campaign/context.h"
#include "harness/run/progress.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// With the built-in workloads; looks for the machine's devices.
[[nodiscard]] campaign::CampaignContext campaign_context(const Environment& environment);

// On standard error.
[[nodiscard]] run::Progress make_progress(const Environment& environment, bool quiet,
                                          const Clock& clock);

}  // namespace stepbench::cli
