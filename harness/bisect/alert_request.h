// SPDX-License-Identifier: Apache-2.0
// A search for what an alert of a history tells. Pure; any thread.
#pragma once

#include <string>

#include "harness/bisect/run_bisect.h"
#include "harness/nights/alert.h"
#include "harness/track/history.h"

namespace stepbench::bisect {

// The commits of the alert's last good and first bad night, the bad night's experiment and case,
// and the metric and size of the series that moved: `series` by the beginning of its id, else the
// step's, else the first. The rest is as in `basis`. Throws ConfigError for an alert that no search
// can follow, with what is to be done.
[[nodiscard]] BisectRequest request_of_alert(const nights::Alert& alert,
                                             const track::History& history,
                                             const std::string& series, BisectRequest basis);

}  // namespace stepbench::bisect
