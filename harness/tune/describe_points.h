// SPDX-License-Identifier: Apache-2.0
// What a search says of its points, from what their launches gave. Pure; any thread.
#pragma once

#include <vector>

#include "harness/plan/plan.h"
#include "harness/tune/tune_agenda.h"
#include "harness/tune/tune_run.h"

namespace stepbench::tune {

// Fills the points of `run`, their front, what the winner changes and what the whole sweep would
// take; needs its rungs, standing, place of the own settings and objective. `states`: by case of
// `plan`.
void describe_points(const plan::Plan& plan, const std::vector<PointState>& states, TuneRun& run);

}  // namespace stepbench::tune
