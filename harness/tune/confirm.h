// SPDX-License-Identifier: Apache-2.0
// Says what a search has won: fresh pairs of the winner and the file's own settings, in turns, by
// the rules of `ab`. The launches that chose the winner say nothing of it. Main thread only.
#pragma once

#include <cstddef>
#include <string>

#include "harness/base/clock.h"
#include "harness/campaign/context.h"
#include "harness/run/interrupts.h"
#include "harness/run/progress.h"
#include "harness/tune/tune_request.h"
#include "harness/tune/tune_run.h"

namespace stepbench::tune {

inline constexpr std::size_t kFewestPairs = 10;
inline constexpr std::size_t kMostPairs = 40;  // the last look of `ab`

// Into a folder below that of `run`, whose points are described; goes on where it was cut off.
// `own_text`: the experiment without its sweep. False: a signal ended it.
[[nodiscard]] bool confirm(const TuneRequest& request, const std::string& own_text,
                           const campaign::CampaignContext& context, run::Progress& progress,
                           run::Interrupts& interrupts, const Clock& clock, TuneRun& run);

// What a user calls to compare the winner's file with the values before.
[[nodiscard]] std::string command_to_confirm(const TuneRun& run, const std::string& worker);

}  // namespace stepbench::tune
