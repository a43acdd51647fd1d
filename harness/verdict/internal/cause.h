// SPDX-License-Identifier: Apache-2.0
// Explains why a step changed: by its phases, and the operations of profiled launches. Profiling
// slows a step down, so profiled launches explain a change but never establish one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/record/result_file.h"
#include "harness/stats/order_statistics.h"
#include "harness/verdict/internal/case_pairs.h"
#include "harness/verdict/internal/judge.h"

namespace stepbench::verdict {

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

// Page faults per step of the process that trains, served from memory: medians over launches.
struct FaultChange {
  double base = 0;
  double candidate = 0;
};

// "page faults 3,036 -> 0 per step"
[[nodiscard]] std::string fault_text(const FaultChange& change);

// A fault takes at least this long: 1,200 to 1,500 ns in results/torch_versions.md.
inline constexpr double kFaultNs = 500;

// Page faults that explain a change of the step: more of them in the slower one, with an interval
// that excludes zero, and at kFaultNs each at least a tenth of the change. A step that gives memory
// back to the system and takes it again has many. nullopt also if a launch does not report them.
[[nodiscard]] std::optional<FaultChange> explaining_faults(const CasePair& pair, double confidence,
                                                           Design design);

// Calls of one name with one set of input shapes in one phase.
struct OpChange {
  std::string name;
  std::string shapes;  // empty: not recorded
  std::string phase;
  double base_calls = 0;  // per step
  double candidate_calls = 0;
  double base_share = 0;  // share of the self time of all operations
  double candidate_share = 0;
  // Self time per step: median over pairs of profiled launches, with their range. Only for three or
  // more interleaved pairs.
  std::optional<double> change_ns = {};
  stats::Interval range_ns = {};
};

// The measured launches of a result that recorded operations or counted instructions under
// valgrind, by case and arm, in the order of their numbers. Points into the Results.
class ProfiledLaunches {
 public:
  explicit ProfiledLaunches(const record::Results& results);
  [[nodiscard]] std::vector<const record::Launch*> of(std::string_view case_id,
                                                      std::string_view arm) const;
  [[nodiscard]] std::vector<const record::Launch*> counted(std::string_view case_id,
                                                           std::string_view arm) const;

 private:
  using ByCase =
      std::map<std::pair<std::string_view, std::string_view>, std::vector<const record::Launch*>>;
  ByCase by_case_;
  ByCase counted_;
};

// Operations whose number of calls changed, compared exactly in the first launch of each side, or
// whose time or share of the time changed much; largest first. `interleaved`: launches with equal
// indexes are adjacent in time.
[[nodiscard]] std::vector<OpChange> op_changes(const std::vector<const record::Launch*>& base,
                                               const std::vector<const record::Launch*>& candidate,
                                               bool interleaved);

inline constexpr std::size_t kMaxOpChanges = 12;
inline constexpr std::size_t kPairsForOpTimes = 3;

}  // namespace stepbench::verdict
