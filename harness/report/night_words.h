// SPDX-License-Identifier: Apache-2.0
// Texts about a night: what it measured, the number of series per state, and reasons. Pure; any
// thread.
#pragma once

#include <string>
#include <vector>

#include "harness/nights/night.h"

namespace stepbench::report {

// Display form: "no verdict" for "no-verdict".
[[nodiscard]] std::string state_words(nights::NightState state);

// "night 2026-01-31 02:00 on box: train and transfer (4f2a91c)"
[[nodiscard]] std::string night_title(const nights::Night& night);

// "beside the reference program of 2026-01-01 (build 0ef7a4e8), in turns", or why there is none;
// one line per experiment, equal lines merged.
[[nodiscard]] std::vector<std::string> reference_words(const nights::Night& night,
                                                       const track::History& history);

// "torch 2.11 -> 2.12: reference +8.0 %": effects of environment changes, over all experiments.
[[nodiscard]] std::string environment_words(const nights::Night& night);

// "41 series: 38 ok, 2 suspect, 1 regression"
[[nodiscard]] std::string counts_text(const nights::Night& night);

// Explains a verdict whose name alone would mislead; else "".
[[nodiscard]] std::string verdict_reason(const nights::Night& night);

// Reason for a series' state, a sentence without a full stop; "" if its numbers suffice.
[[nodiscard]] std::string series_reason(const nights::NightSeries& series);

}  // namespace stepbench::report
