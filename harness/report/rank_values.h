// SPDX-License-Identifier: Apache-2.0
// Values of each rank of a case with a process group. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/report/wait_matrix.h"

namespace stepbench::report {

// Values of one rank, one per launch.
struct RankValues {
  std::set<std::string> hosts;
  std::vector<double> step_ns;
  std::vector<std::string> parts;  // in step order
  std::map<std::string, std::vector<double>> parts_ns;
  std::vector<double> loss;
  std::map<std::string, std::vector<double>> peak_bytes;
  std::vector<double> wait_ns;  // from profiled launches, like the next two
  std::vector<double> work_ns;
  std::map<std::int64_t, std::vector<double>> waits_for_ns;  // by rank

  [[nodiscard]] double part_ns(const std::string& name) const;  // median; 0 if it lacks the part
  // Peak of the device's allocator if recorded, as for `peak_bytes` of a case.
  [[nodiscard]] std::optional<double> peak() const;
};
using RanksOfCase = std::map<int, RankValues>;

// Launches of process groups by case. The results must outlive it.
class GroupLaunches {
 public:
  explicit GroupLaunches(const record::Results& results);
  [[nodiscard]] const std::vector<const record::Launch*>& of(const estimate::CaseRow& row) const;

 private:
  std::map<std::string, std::vector<const record::Launch*>> by_case_ = {};
};

[[nodiscard]] std::optional<double> median_of(const std::vector<double>& values);

[[nodiscard]] RanksOfCase ranks_of(const estimate::CaseRow& row, const GroupLaunches& groups);
// Parts of the step on any rank, in step order, `other` last.
[[nodiscard]] std::vector<std::string> parts_of(const RanksOfCase& ranks);
// Medians over the profiled launches.
[[nodiscard]] WaitMatrix wait_matrix(const RanksOfCase& ranks);
// The straggler finding of a profiled launch; empty if there is none or it is unknown.
[[nodiscard]] std::string straggler_of(const estimate::CaseRow& row, const GroupLaunches& groups);

}  // namespace stepbench::report
