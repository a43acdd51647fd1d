// SPDX-License-Identifier: Apache-2.0
// A night in words: what it measured, how many series are in which state, why it has its verdict.
// Pure; any thread.
#pragma once

#include <string>

#include "harness/track/night.h"

namespace stepbench::report {

// "4 series of nightly begin a new level", and what goes on beside the reference program.
[[nodiscard]] std::string new_level_words(const track::CohortChange& change);

// "night 2026-01-31 02:00 on box: train and transfer (4f2a91c)"
[[nodiscard]] std::string night_title(const track::Night& night);

// "41 series: 38 ok, 2 warming-up (7 of 10 nights), 1 regression"
[[nodiscard]] std::string counts_text(const track::Night& night);

// Where the verdict's name alone would mislead; "" elsewhere.
[[nodiscard]] std::string why_verdict(const track::Night& night);

}  // namespace stepbench::report
