// SPDX-License-Identifier: Apache-2.0
// Which phases explain that a step changed. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/compare/case_pairs.h"
#include "harness/compare/judge.h"
#include "harness/stats/interval.h"

namespace stepbench::compare {

// How much of a changed step one phase explains.
struct PhaseChange {
  std::string phase;
  double base_ns = 0;  // median of launch medians
  double candidate_ns = 0;
  double change_ns = 0;  // Hodges-Lehmann, over the pairs or between all launches of both sides
  stats::Interval interval_ns;  // infinite with too few launches
  double share = 0;  // of the step's change; may exceed 1 when another phase became faster
};

// All phases that either side has, the largest change first.
[[nodiscard]] std::vector<PhaseChange> phase_changes(const CasePair& pair, double confidence,
                                                     Design design);

// Those that explain a change: at least a tenth of it, either way, with an interval that excludes
// zero.
[[nodiscard]] std::vector<PhaseChange> explaining(std::vector<PhaseChange> changes);

}  // namespace stepbench::compare
