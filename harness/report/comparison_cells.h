// SPDX-License-Identifier: Apache-2.0
// What one test says, in the words that all tables of comparisons use. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "harness/compare/comparison.h"
#include "harness/text/grid.h"

namespace stepbench::report {

[[nodiscard]] std::string compared_value(double value, const std::string& unit);  // "12.3 ms"
[[nodiscard]] std::string change_text(const compare::TestResult& test);           // "+2.50 %"
[[nodiscard]] std::string interval_text_of(const compare::TestResult& test);  // "[+1.10, +3.90]"
// "+1.90 %": the change without what being claimed added to it; "-": nothing is claimed.
[[nodiscard]] std::string corrected_text(const compare::TestResult& test);
// Whether a metric has one, so that kCorrectedMeans is to be said.
[[nodiscard]] bool has_corrected(const compare::Comparison& comparison);
inline constexpr std::string_view kCorrectedMeans =
    "corrected: what is claimed was often helped by chance, which makes a change look larger than "
    "it is; this is the size that is as likely too small as too large, given that it was claimed";
[[nodiscard]] std::string adjusted_p_text(double p);  // "<0.001", "-"
// "suspect: worse", "inconclusive: needs ~40 launches"; `unit`: what more of is needed.
[[nodiscard]] std::string verdict_text(const compare::TestResult& test, const std::string& unit);
[[nodiscard]] text::Tint tint_of(const compare::TestResult& test);

}  // namespace stepbench::report
