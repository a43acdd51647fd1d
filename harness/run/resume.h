// SPDX-License-Identifier: Apache-2.0
// Determines what an interrupted run has completed, and whether it may be continued. Pure.
#pragma once

#include <map>
#include <set>
#include <string>

#include "harness/catalogue/catalogue.h"
#include "harness/plan/plan.h"
#include "harness/record/reader.h"

namespace stepbench::run {

// A launch is done if its launch line exists, whatever its outcome; `retry_failed` repeats failed
// ones.
[[nodiscard]] std::set<record::LaunchKey> done_launches(const record::Results& earlier,
                                                        bool retry_failed);

// Number of the next attempt of each launch that was begun before.
[[nodiscard]] std::map<record::LaunchKey, int> next_attempts(const record::Results& earlier);

// Checks that a resumed run matches its beginning. Throws ConfigError naming the first difference:
// plan, worker build, data, smoke, or an option under which finished launches were measured.
void check_same_experiment(const record::Results& earlier, const record::RunRow& now,
                           const plan::Plan& plan, const Catalogue& catalogue);

}  // namespace stepbench::run
