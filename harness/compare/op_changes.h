// SPDX-License-Identifier: Apache-2.0
// Finds the operations behind a change. Profiling slows a step down, so that profiled launches
// explain a change but never establish one.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/record/reader.h"
#include "harness/stats/interval.h"

namespace stepbench::compare {

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

}  // namespace stepbench::compare
