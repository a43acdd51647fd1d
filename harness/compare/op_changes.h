// SPDX-License-Identifier: Apache-2.0
// Which operations a change comes from. A profiler slows a step down, so that profiled launches
// explain a change and never show one.
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
  double base_share = 0;  // of the self time of all ops
  double candidate_share = 0;
  // Self time per step: median over pairs of profiled launches, and their range. Only from three or
  // more pairs that took turns.
  std::optional<double> change_ns = {};
  stats::Interval range_ns = {};
};

// The measured launches of a result that recorded operations, and those that counted instructions
// under valgrind, by case and arm, in the order of their numbers. Points into the Results.
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

// Ops whose number of calls changed, exactly, by the first launch of either side; and those whose
// share of the time, or time, changed much. The weightiest first. `interleaved`: equal indexes of
// the two sides are neighbours in time.
[[nodiscard]] std::vector<OpChange> op_changes(const std::vector<const record::Launch*>& base,
                                               const std::vector<const record::Launch*>& candidate,
                                               bool interleaved);

inline constexpr std::size_t kMaxOpChanges = 12;
inline constexpr std::size_t kPairsForOpTimes = 3;

}  // namespace stepbench::compare
