// SPDX-License-Identifier: Apache-2.0
// Context of the library's campaigns for commands that plan or measure.
#pragma once

#include "harness/base/clock.h"
#include "harness/campaign/context.h"
#include "harness/run/progress.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// Includes the built-in workloads; detects the machine's devices.
[[nodiscard]] campaign::CampaignContext campaign_context(const Environment& environment);

// Prints to standard error.
[[nodiscard]] run::Progress make_progress(const Environment& environment, bool quiet,
                                          const Clock& clock);

}  // namespace stepbench::cli
