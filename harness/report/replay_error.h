// SPDX-License-Identifier: Apache-2.0
// How near a replayed loader comes to the loader itself (loader.replay: recorded). Pure; any
// thread.
#pragma once

#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::report {

// A line per case that was measured as it is and at the recorded times of its batches: "replayed
// arrivals give 20.3 ms where the loader gives 20.1 ms: +1.0 % (-.4 % to +2.3 %)". Bounds are those
// of both cases' intervals. Empty where there is no such pair.
[[nodiscard]] std::vector<std::string> replay_error_lines(
    const std::vector<estimate::CaseRow>& rows, const record::Results& results);

}  // namespace stepbench::report
