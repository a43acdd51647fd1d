// SPDX-License-Identifier: Apache-2.0
// A comparison as the verdict file, and back. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/comparison.h"

namespace stepbench::report {

inline constexpr std::string_view kVerdictSchema = "stepbench.verdict";
inline constexpr std::string_view kVerdictVersion = "1.7.0";

// The verdict file: one JSON object with `exit_code`, `verdict` and every case; what is not a
// number is null. The same comparison gives the same bytes.
[[nodiscard]] std::string comparison_json(const compare::Comparison& comparison);
// Of one the same. Of several results against one base: `exit_code` and `verdict` are those of the
// worst, and `comparisons` holds each as comparison_json() has it.
inline constexpr std::string_view kVerdictsSchema = "stepbench.verdicts";
inline constexpr std::string_view kVerdictsVersion = "1.0.0";
[[nodiscard]] std::string verdict_json(std::span<const compare::Comparison> comparisons);
// The same file when there is no comparison: the sides could not be read or may not be compared.
[[nodiscard]] std::string error_json(int exit_code, std::string_view message);

// Of schema stepbench.verdict one, of stepbench.verdicts each. Accepts every 1.x. Throws LineError
// for anything else, and for a file that holds an error in place of a verdict.
[[nodiscard]] std::vector<compare::Comparison> read_comparisons(std::string_view json);

}  // namespace stepbench::report
