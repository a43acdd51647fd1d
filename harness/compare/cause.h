// SPDX-License-Identifier: Apache-2.0
// Finds the phases that explain a change of the step. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/compare/case_pairs.h"
#include "harness/compare/judge.h"
#include "harness/stats/interval.h"

namespace stepbench::compare {

// Contribution of one phase to a change of the step.
struct PhaseChange {
  std::string phase;
  // Ranks of a process group with this change; the numbers below are their mean. Empty for a single
  // process.
  std::vector<std::int64_t> ranks = {};
  bool all_ranks = false;
  double base_ns = 0;  // median over launches
  double candidate_ns = 0;
  double change_ns = 0;         // Hodges-Lehmann, over pairs or, if sequential, all launches
  stats::Interval interval_ns;  // infinite with too few launches
  double share = 0;  // share of the step's change; may exceed 1 if another phase became faster
};

// "forward", "forward on all ranks", "backward on ranks 0 and 2"
[[nodiscard]] std::string phase_text(const PhaseChange& change);

// True if ranks changed in different ways. A rank that arrives late at a collective lengthens the
// phase in which the others wait for it; times alone do not show which rank is late.
[[nodiscard]] bool ranks_differ(const std::vector<PhaseChange>& changes);

// All phases of either side, largest change first. For process groups, as rank 0 measured them.
[[nodiscard]] std::vector<PhaseChange> phase_changes(const CasePair& pair, double confidence,
                                                     Design design);

// Phases that explain a change: at least a tenth of it in either direction, with an interval that
// excludes zero. For process groups, per rank; ranks with overlapping intervals are merged.
[[nodiscard]] std::vector<PhaseChange> explaining_phases(const CasePair& pair, double confidence,
                                                         Design design);

}  // namespace stepbench::compare
