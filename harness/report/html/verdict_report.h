// SPDX-License-Identifier: Apache-2.0
// A comparison as a page: the intervals of all metrics against their margins (a forest chart),
// where the time of a changed step went, the operations and gates behind it, and what could not be
// compared. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/compare/comparison.h"
#include "harness/document/document.h"
#include "harness/report/internal/comparison_words.h"

namespace stepbench::report {

// One section per comparison, in order.
[[nodiscard]] std::vector<document::Chapter> comparison_sections(
    std::span<const compare::Comparison> comparisons);

// One row per case and metric: its change with interval on the band of its margin. `place`: index
// of the comparison in the page's data. nullopt if no row has a change.
[[nodiscard]] std::optional<document::Figure> forest_figure(const compare::Comparison& comparison,
                                                            std::size_t place);

// Changes of the phases that explain the change of a case's step. nullopt if no cause is known.
[[nodiscard]] std::optional<document::Figure> cause_figure(const compare::Comparison& comparison,
                                                           std::size_t place, std::size_t one);

[[nodiscard]] document::Table causes_table(const compare::Comparison& comparison,
                                           const ComparisonNames& names);
[[nodiscard]] document::Table op_changes_table(const compare::Comparison& comparison,
                                               const ComparisonNames& names);
[[nodiscard]] document::Table gates_table(const compare::Comparison& comparison,
                                          const ComparisonNames& names);
[[nodiscard]] document::Table missing_table(const compare::Comparison& comparison,
                                            const ComparisonNames& names);

}  // namespace stepbench::report
