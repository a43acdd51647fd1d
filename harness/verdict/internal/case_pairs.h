// SPDX-License-Identifier: Apache-2.0
// Matches the cases and launches of two results.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/record/result_file.h"

namespace stepbench::verdict {

// One of the two results, with its name as given by the user.
struct ComparisonSide {
  const record::Results* results = nullptr;
  std::string where;  // a path
};

// The ranks other than 0 of process groups. Points into the Results.
class OtherRanks {
 public:
  // Adds a launch of a rank other than 0.
  void add(const record::Launch& launch);
  // The measured launches of the other ranks, by rank. Empty for a single process.
  [[nodiscard]] std::vector<const record::Launch*> of(const record::Launch& rank_0) const;

 private:
  using Group = std::tuple<std::size_t, std::string_view, std::string_view, int>;
  static Group group_of(const record::Launch& launch);
  std::map<Group, std::map<int, const record::Launch*>> ranks_;
};

// The launches of one case on one side; a process group is represented by rank 0. Points into the
// Results.
struct CaseLaunches {
  const record::LaunchRow* first = nullptr;  // for id, workload and options
  std::vector<const record::Launch*> measured = {};
  // Other ranks of each of `measured`; empty if no launch is of a process group.
  std::vector<std::vector<const record::Launch*>> other_ranks = {};
  std::size_t not_measured = 0;
  std::string reason = {};  // reason of the first launch that was not measured
};

struct CasePair {
  CaseLaunches base;
  CaseLaunches candidate;
};

struct CasePairs {
  std::vector<CasePair> both;  // in the base's order
  std::vector<CaseLaunches> only_base;
  std::vector<CaseLaunches> only_candidate;
};

// Replaces the launches by those of another rank. Returns false if a launch lacks it.
[[nodiscard]] bool take_rank(std::size_t rank, CaseLaunches& launches);

// Cases with equal keys are matched. Usually the case_id, unless options are ignored.
using CaseKey = std::function<std::string(const record::LaunchRow&)>;

// Uses the timed launches of rank 0. Throws ConfigError for what must not be compared: rows of
// --smoke, arms of an A/B campaign, a side with only profiled or wrapped launches, two cases of one
// side with the same key.
[[nodiscard]] CasePairs pair_cases(const ComparisonSide& base, const ComparisonSide& candidate,
                                   const CaseKey& key);

}  // namespace stepbench::verdict
