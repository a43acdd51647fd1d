// SPDX-License-Identifier: Apache-2.0
// What an interrupted run has done already, and whether it may be continued. Pure.
#pragma once

#include <map>
#include <set>
#include <string>

#include "harness/catalogue/catalogue.h"
#include "harness/plan/plan.h"
#include "harness/record/reader.h"

namespace stepbench::run {

// A launch is done when its launch line exists, whatever its outcome; `retry_failed` repeats the
// failed ones.
[[nodiscard]] std::set<record::LaunchKey> done_launches(const record::Results& earlier,
                                                        bool retry_failed);

// The number of the next attempt of each launch that was begun before.
[[nodiscard]] std::map<record::LaunchKey, int> next_attempts(const record::Results& earlier);

// What a continued run must have in common with its beginning. Throws ConfigError naming the first
// difference: plan, worker build, data, smoke, or an option under which finished launches were
// measured.
void check_same_experiment(const record::Results& earlier, const record::RunRow& now,
                           const plan::Plan& plan, const Catalogue& catalogue);

}  // namespace stepbench::run
