// SPDX-License-Identifier: Apache-2.0
// Which phases explain that a step changed. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/compare/case_pairs.h"
#include "harness/compare/judge.h"
#include "harness/stats/interval.h"

namespace stepbench::compare {

// How much of a changed step one phase explains.
struct PhaseChange {
  std::string phase;
  // Of a group: the ranks on which it changed so, the numbers below are their mean. Empty: of one
  // process.
  std::vector<std::int64_t> ranks = {};
  bool all_ranks = false;
  double base_ns = 0;  // median of launch medians
  double candidate_ns = 0;
  double change_ns = 0;  // Hodges-Lehmann, over the pairs or between all launches of both sides
  stats::Interval interval_ns;  // infinite with too few launches
  double share = 0;  // of the step's change; may exceed 1 when another phase became faster
};

// "forward", "forward on all ranks", "backward on ranks 0 and 2"
[[nodiscard]] std::string phase_text(const PhaseChange& change);

// Some ranks spend more, others less or elsewhere: a rank that comes late to a collective makes the
// phase longer in which the others wait for it, and a time alone does not tell who is late.
[[nodiscard]] bool ranks_differ(const std::vector<PhaseChange>& changes);

// All phases that either side has, the largest change first; of groups as rank 0 saw them.
[[nodiscard]] std::vector<PhaseChange> phase_changes(const CasePair& pair, double confidence,
                                                     Design design);

// Those that explain a change: at least a tenth of it, either way, with an interval that excludes
// zero. Of a group those of each rank, ranks whose intervals have a size in common together.
[[nodiscard]] std::vector<PhaseChange> explaining_phases(const CasePair& pair, double confidence,
                                                         Design design);

}  // namespace stepbench::compare
