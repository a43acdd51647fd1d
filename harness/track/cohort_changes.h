// SPDX-License-Identifier: Apache-2.0
// What of the environment is another one tonight than in the night before. Pure; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/track/history.h"
#include "harness/track/night.h"

namespace stepbench::track {

// Whether point `at` was measured in another environment than the one before it. Each field that
// differs is in `changes` once for each experiment, with the number of series. `by_ratio`: the
// series is judged by ratios, which go on.
bool note_cohort(std::vector<CohortChange>& changes, const History& history,
                 const SeriesHistory& series, std::size_t at, bool by_ratio);

}  // namespace stepbench::track
