// SPDX-License-Identifier: Apache-2.0
// Writes and reads the verdict file of a comparison. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/comparison.h"

namespace stepbench::report {

inline constexpr std::string_view kVerdictSchema = "stepbench.verdict";
inline constexpr std::string_view kVerdictVersion = "1.8.0";

// The verdict file: one JSON object with `exit_code`, `verdict` and every case; numbers that are
// not finite are null. The same comparison gives the same bytes.
[[nodiscard]] std::string comparison_json(const compare::Comparison& comparison);
// For a single comparison as comparison_json(). For several with one base: `exit_code` and
// `verdict` of the worst, and `comparisons` with each as in comparison_json().
inline constexpr std::string_view kVerdictsSchema = "stepbench.verdicts";
inline constexpr std::string_view kVerdictsVersion = "1.0.0";
[[nodiscard]] std::string verdict_json(std::span<const compare::Comparison> comparisons);
// The verdict file of a failure: the sides could not be read or must not be compared.
[[nodiscard]] std::string error_json(int exit_code, std::string_view message);

// Returns one comparison for the schema stepbench.verdict, all for stepbench.verdicts. Accepts
// every 1.x. Throws LineError for anything else, and for a file with an error instead of a verdict.
[[nodiscard]] std::vector<compare::Comparison> read_comparisons(std::string_view json);

}  // namespace stepbench::report
