// SPDX-License-Identifier: Apache-2.0
// Several results, each against the same base, for people: a column for each. Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "harness/compare/comparison.h"
#include "harness/report/comparison_text.h"
#include "harness/report/table.h"

namespace stepbench::report {

// A for the base, B, C, ... for the others.
inline constexpr std::size_t kMaxCompared = 26;

[[nodiscard]] std::string comparisons_table(std::span<const compare::Comparison> comparisons,
                                            const TableStyle& style, bool all);
// Begins with the same marker as the comparison of two.
[[nodiscard]] ComparisonParts comparisons_parts(std::span<const compare::Comparison> comparisons);
[[nodiscard]] std::string comparisons_markdown(std::span<const compare::Comparison> comparisons,
                                               bool all);

}  // namespace stepbench::report
