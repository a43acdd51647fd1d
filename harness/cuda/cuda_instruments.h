// SPDX-License-Identifier: Apache-2.0
// The instruments that need CUDA, as rows of the table for worker_main. They are made after set-up,
// when the loader has already forked.
#pragma once

#include "harness/measure/instrument.h"

namespace stepbench {

// For cases on a CUDA device: event_clock.h. Not in profiled launches, where its calls would be
// recorded together with those of the step.
[[nodiscard]] InstrumentType event_clock_type();

// For cases with profile.nvtx or profile.capture_range: nvtx_ranges.h.
[[nodiscard]] InstrumentType nvtx_type();

}  // namespace stepbench
