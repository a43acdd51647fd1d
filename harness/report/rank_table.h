// SPDX-License-Identifier: Apache-2.0
// The ranks of each case that was launched as a group: the values of each rank, which rank waits
// for which in the collectives of a step (also for traces), and tables of both. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/analyze/ranks.h"
#include "harness/document/document.h"
#include "harness/estimate/case_rows.h"

namespace stepbench::report {

// Square, indexed by position in `ranks`: a row's rank waits for the ranks of the columns.
struct WaitMatrix {
  std::vector<std::int64_t> ranks = {};
  std::vector<std::vector<double>> ns = {};  // mean per step

  [[nodiscard]] bool empty() const;  // true if no rank waits
  // Index of the rank that the others wait for longest in total.
  [[nodiscard]] std::size_t most_waited_for() const;
};

[[nodiscard]] WaitMatrix wait_matrix(const analyze::RankReport& report);

// The whole matrix for few ranks, else the longest waits, one per line. nullopt if no rank waits.
[[nodiscard]] std::optional<document::Table> wait_table(const WaitMatrix& matrix);

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

[[nodiscard]] std::optional<double> median_of(const std::vector<double>& values);

// A case that was launched as a group.
struct CaseRanks {
  std::string name;
  std::string straggler;  // finding of a profiled launch; empty if there is none or it is unknown
  RanksOfCase ranks;

  [[nodiscard]] bool profiled() const { return !ranks.begin()->second.work_ns.empty(); }
};
// The cases among `rows` with several ranks, each arm of each run once.
[[nodiscard]] std::vector<CaseRanks> cases_with_ranks(const std::vector<estimate::CaseRow>& rows,
                                                      const estimate::RowNames& names,
                                                      const record::Results& results);
[[nodiscard]] std::string straggler_of(const estimate::CaseRow& row,
                                       const record::Results& results);

// Parts of the step on any rank, in step order, `other` last.
[[nodiscard]] std::vector<std::string> parts_of(const RanksOfCase& ranks);
// Medians over the profiled launches.
[[nodiscard]] WaitMatrix wait_matrix(const RanksOfCase& ranks);

[[nodiscard]] document::Table ranks_table(const std::string& title, const RanksOfCase& ranks);
// Explains the numbers. `profiled`: mention waits.
[[nodiscard]] std::vector<std::string> ranks_words(bool profiled);

// A chapter with one table per case with several ranks. Throws ConfigError if there is none.
[[nodiscard]] document::Document ranks_of_cases(const std::vector<estimate::CaseRow>& rows,
                                                const record::Results& results);

}  // namespace stepbench::report
