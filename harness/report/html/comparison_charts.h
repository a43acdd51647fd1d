// SPDX-License-Identifier: Apache-2.0
// Charts of a comparison: intervals of all metrics with their margins, and the phases of changed
// steps; also the operations and gates behind them, and cases that could not be compared. Pure; any
// thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/compare/comparison.h"
#include "harness/document/document.h"

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

}  // namespace stepbench::report
