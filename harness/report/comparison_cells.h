// SPDX-License-Identifier: Apache-2.0
// What one test says, in the words that all tables of comparisons use. Pure; any thread.
#pragma once

#include <string>

#include "harness/compare/judge.h"
#include "harness/text/grid.h"

namespace stepbench::report {

[[nodiscard]] std::string compared_value(double value, const std::string& unit);  // "12.3 ms"
[[nodiscard]] std::string change_text(const compare::TestResult& test);           // "+2.50 %"
[[nodiscard]] std::string interval_text_of(const compare::TestResult& test);  // "[+1.10, +3.90]"
[[nodiscard]] std::string adjusted_p_text(double p);                          // "<0.001", "-"
// "suspect: worse", "inconclusive: needs ~40 launches"; `unit`: what more of is needed.
[[nodiscard]] std::string verdict_text(const compare::TestResult& test, const std::string& unit);
[[nodiscard]] text::Tint tint_of(const compare::TestResult& test);

}  // namespace stepbench::report
