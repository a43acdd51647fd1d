// SPDX-License-Identifier: Apache-2.0
// A night in words: what it measured, how many series are in which state, and why. Pure; any
// thread.
#pragma once

#include <string>
#include <vector>

#include "harness/nights/night.h"

namespace stepbench::report {

// "no verdict" of "no-verdict".
[[nodiscard]] std::string state_words(nights::NightState state);

// "night 2026-01-31 02:00 on box: train and transfer (4f2a91c)"
[[nodiscard]] std::string night_title(const nights::Night& night);

// "beside the reference program of 2026-01-01 (build 0ef7a4e8), in turns", or why there is none; a
// line for each experiment, equal ones once.
[[nodiscard]] std::vector<std::string> reference_words(const nights::Night& night,
                                                       const track::History& history);

// "torch 2.11 -> 2.12: reference +8.0 %": what another environment did, of all experiments.
[[nodiscard]] std::string environment_words(const nights::Night& night);

// "41 series: 38 ok, 2 suspect, 1 regression"
[[nodiscard]] std::string counts_text(const nights::Night& night);

// Where the verdict's name alone would mislead; "" elsewhere.
[[nodiscard]] std::string why_verdict(const nights::Night& night);

// Why a series has its state, a sentence without a full stop; "" where its numbers say it.
[[nodiscard]] std::string why_series(const nights::NightSeries& series);

}  // namespace stepbench::report
