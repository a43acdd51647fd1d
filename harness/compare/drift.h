// SPDX-License-Identifier: Apache-2.0
// Whether the machine became slower or faster while a campaign ran. Pairs cancel a drift; a large
// one says that the machine was not the same from beginning to end.
#pragma once

#include <span>
#include <vector>

#include "harness/compare/case_pairs.h"
#include "harness/compare/gate.h"

namespace stepbench {

// Mean log step time of each block of one case, both arms alike, in run order.
[[nodiscard]] std::vector<double> block_levels(const CasePair& pair);

// `cases`: block_levels of each. Theil-Sen slope over all cases, from the first block of the
// longest to its last; it counts only where the levels rise or fall more than chance would
// (Mann-Kendall).
[[nodiscard]] Gate drift_gate(std::span<const std::vector<double>> cases);

}  // namespace stepbench
