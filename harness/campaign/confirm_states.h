// SPDX-License-Identifier: Apache-2.0
// From what campaigns found to the state of a suspect, and why it has it. Pure.
#pragma once

#include <string>

#include "harness/campaign/confirm_judgement.h"
#include "harness/campaign/confirm_suspects.h"

namespace stepbench::campaign {

// Towards the bad side of its series.
[[nodiscard]] bool is_worse(const Suspect& suspect);

// What the campaign with this number found of `one`.
void take_finding(const ConfirmRequest& request, int number, ConfirmFinding finding,
                  ConfirmedSeries& one);

// That campaign was not measured, or not to its end. `state`: where it was to be the first one.
void take_no_finding(int number, track::AlertState state, const std::string& why,
                     ConfirmedSeries& one);

// "1a2b3c4d step_ns: reproduced, +3.2 % [+2.6, +3.9]"
[[nodiscard]] std::string describe(const ConfirmedSeries& one);

}  // namespace stepbench::campaign
