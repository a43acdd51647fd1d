// SPDX-License-Identifier: Apache-2.0
// How busy the machine was beside the cases of a night: kept with its run, so that a point of a
// series can say so. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "harness/estimate/busy_machine.h"
#include "harness/track/history.h"

namespace stepbench::track {

void set_busy(TrackedRun& run, std::string_view case_id, const estimate::BusyMachine& busy);
// nullopt: not busy, or taken in before this was kept.
[[nodiscard]] std::optional<estimate::BusyMachine> busy_of(const TrackedRun& run,
                                                           std::string_view case_id);

}  // namespace stepbench::track
