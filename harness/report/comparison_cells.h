// SPDX-License-Identifier: Apache-2.0
// Texts for one test, shared by all tables of comparisons. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "harness/compare/comparison.h"

namespace stepbench::report {

// Letter of each of several results: "A" is the base.
[[nodiscard]] std::string letter_of(std::size_t place);
[[nodiscard]] std::string compared_value(double value, const std::string& unit);  // "12.3 ms"
// Formats both in one unit: "0.999 ms" and "1.10 ms".
[[nodiscard]] std::pair<std::string, std::string> compared_values(double before, double after,
                                                                  const std::string& unit);
[[nodiscard]] std::string change_text(const compare::TestResult& test);       // "+2.50 %"
[[nodiscard]] std::string interval_text_of(const compare::TestResult& test);  // "[+1.10, +3.90]"
// "+1.90 %": the bias-corrected change, given that it was reported; "-" if none was.
[[nodiscard]] std::string corrected_text(const compare::TestResult& test);
[[nodiscard]] std::string adjusted_p_text(double p);  // "<0.001", "-"
// "suspect: worse", "inconclusive: needs ~40 launches"; `unit`: see needed_unit().
[[nodiscard]] std::string verdict_text(const compare::TestResult& test, const std::string& unit);
// What an inconclusive test needs more of: "launches", or "pairs" for `ab`.
[[nodiscard]] std::string needed_unit(const compare::Comparison& comparison);

}  // namespace stepbench::report
