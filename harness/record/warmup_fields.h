// SPDX-License-Identifier: Apache-2.0
// Judges a launch's warm-up by its own steps, for the fields of its report. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>

#include "harness/record/rows.h"
#include "harness/schedule/warmup_verdict.h"

namespace stepbench::record {

// The worst verdict of all windows, on the clock of the estimate. A window without the column
// `flags` has no flags.
[[nodiscard]] schedule::WarmupVerdict judge_windows(std::span<const Series> cycles,
                                                    std::int64_t block_steps = 1);

// Sets warmup_verdict, _more and _change of `schedule`, flags and a note.
void put_warmup(const schedule::WarmupVerdict& verdict, LaunchReport& report);

}  // namespace stepbench::record
