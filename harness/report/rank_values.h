// SPDX-License-Identifier: Apache-2.0
// What is recorded of each rank of a case that was launched as a group. Pure; any thread.
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

// Of one rank, a value from each launch.
struct RankValues {
  std::set<std::string> hosts;
  std::vector<double> step_ns;
  std::vector<std::string> parts;  // as they follow each other in a step
  std::map<std::string, std::vector<double>> parts_ns;
  std::vector<double> loss;
  std::map<std::string, std::vector<double>> peak_bytes;
  std::vector<double> wait_ns;  // of profiled launches, as the next two
  std::vector<double> work_ns;
  std::map<std::int64_t, std::vector<double>> waits_for_ns;  // by rank

  [[nodiscard]] double part_ns(const std::string& name) const;  // median; 0: it has none
  // Of the device's allocator where a rank has one, as `peak_bytes` of a case is.
  [[nodiscard]] std::optional<double> peak() const;
};
using RanksOfCase = std::map<int, RankValues>;

// The launches of groups, by the case that they measured. The results must outlive it.
class GroupLaunches {
 public:
  explicit GroupLaunches(const record::Results& results);
  [[nodiscard]] const std::vector<const record::Launch*>& of(const estimate::CaseRow& row) const;

 private:
  std::map<std::string, std::vector<const record::Launch*>> by_case_ = {};
};

[[nodiscard]] std::optional<double> median_of(const std::vector<double>& values);

[[nodiscard]] RanksOfCase ranks_of(const estimate::CaseRow& row, const GroupLaunches& groups);
// The parts that any rank spent time in, as they follow each other, `other` last.
[[nodiscard]] std::vector<std::string> parts_of(const RanksOfCase& ranks);
// Medians over the profiled launches.
[[nodiscard]] WaitMatrix wait_matrix(const RanksOfCase& ranks);
// What a profiled launch concludes of who holds the others up; empty: nobody does, or it is not
// known.
[[nodiscard]] std::string straggler_of(const estimate::CaseRow& row, const GroupLaunches& groups);

}  // namespace stepbench::report
