// SPDX-License-Identifier: Apache-2.0
// The charts of a comparison: the intervals of all metrics against their margins, where the time of
// a changed step went; the operations and gates behind it, and what could not be compared. Pure;
// any thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/compare/comparison.h"
#include "harness/document/document.h"

namespace stepbench::report {

// A section for each comparison, in their order.
[[nodiscard]] std::vector<document::Chapter> comparison_sections(
    std::span<const compare::Comparison> comparisons);

// `place`: of the comparison in the page's data. A row for each case and metric: its change with
// interval on the band of its margin. nullopt where no row has a change.
[[nodiscard]] std::optional<document::Figure> forest_figure(const compare::Comparison& comparison,
                                                            std::size_t place);

// The changes of the phases that explain the change of a case's step. nullopt where no cause is
// known.
[[nodiscard]] std::optional<document::Figure> cause_figure(const compare::Comparison& comparison,
                                                           std::size_t place, std::size_t one);

}  // namespace stepbench::report
