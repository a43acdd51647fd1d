// SPDX-License-Identifier: Apache-2.0
// Which state a series has in the night's eyes that an alert speaks for. Pure; any thread.
#pragma once

#include "harness/track/alert.h"
#include "harness/track/night.h"

namespace stepbench::track {

[[nodiscard]] NightState night_state_of(AlertState state);
// Of one series, whatever the others of its alert are.
[[nodiscard]] NightState night_state_of(const Alert& alert, const AlertSeries& series);

}  // namespace stepbench::track
