// SPDX-License-Identifier: Apache-2.0
// The tables of a comparison on a page. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "harness/compare/comparison.h"
#include "harness/document/document.h"
#include "harness/report/html/comparison_names.h"

namespace stepbench::report {

// Each metric with its margin, its interval and what it is worth.
[[nodiscard]] document::Table metrics_table(const compare::Comparison& comparison,
                                            const ComparisonNames& names);
[[nodiscard]] document::Table causes_table(const compare::Comparison& comparison,
                                           const ComparisonNames& names);
// Of the others nothing where they would be empty.
[[nodiscard]] std::optional<document::Table> op_changes_table(const compare::Comparison& comparison,
                                                              const ComparisonNames& names);
[[nodiscard]] std::optional<document::Table> gates_table(const compare::Comparison& comparison,
                                                         const ComparisonNames& names);
[[nodiscard]] std::optional<document::Table> missing_table(const compare::Comparison& comparison,
                                                           const ComparisonNames& names);

// What an inconclusive test needs more of: "launches", or "pairs" of `ab`.
[[nodiscard]] std::string needed_unit(const compare::Comparison& comparison);

}  // namespace stepbench::report
