// SPDX-License-Identifier: Apache-2.0
// Load by other programs during the cases of a night. Kept with the run, so that points of a series
// can be annotated with it. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "harness/estimate/busy_machine.h"
#include "harness/track/history.h"

namespace stepbench::track {

void set_busy(TrackedRun& run, std::string_view case_id, const estimate::BusyMachine& busy);
// nullopt: not busy, or added before this was recorded.
[[nodiscard]] std::optional<estimate::BusyMachine> busy_of(const TrackedRun& run,
                                                           std::string_view case_id);

}  // namespace stepbench::track
