// SPDX-License-Identifier: Apache-2.0
// Which launches of two results belong together.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/record/reader.h"

namespace stepbench::compare {

// One of the two results, with the name under which the user gave it.
struct ComparisonSide {
  const record::Results* results = nullptr;
  std::string where;  // a path
};

// The other ranks of groups. Points into the Results.
class OtherRanks {
 public:
  // Of a rank but 0.
  void add(const record::Launch& launch);
  // By rank, those that were measured. Empty for one process.
  [[nodiscard]] std::vector<const record::Launch*> of(const record::Launch& rank_0) const;

 private:
  using Group = std::tuple<std::size_t, std::string_view, std::string_view, int>;
  static Group group_of(const record::Launch& launch);
  std::map<Group, std::map<int, const record::Launch*>> ranks_;
};

// The launches of one case on one side: of groups those of rank 0, which stand for them. Points
// into the Results.
struct CaseLaunches {
  const record::LaunchRow* first = nullptr;  // for id, workload and options
  std::vector<const record::Launch*> measured = {};
  // Of groups, of each of `measured`; empty where none of them is of a group.
  std::vector<std::vector<const record::Launch*>> other_ranks = {};
  std::size_t not_measured = 0;
  std::string reason = {};  // of the first that was not measured
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

// The same launches as one rank saw them. False where a launch lacks it.
[[nodiscard]] bool take_rank(std::size_t rank, CaseLaunches& launches);

// Cases with equal keys are joined. case_id, unless options are to be ignored.
using CaseKey = std::function<std::string(const record::LaunchRow&)>;

// Takes timed launches of rank 0. Throws ConfigError for what may not be compared: rows of --smoke,
// arms of an A/B campaign, a side with profiled or wrapped launches only, two cases of one side
// with the same key.
[[nodiscard]] CasePairs pair_cases(const ComparisonSide& base, const ComparisonSide& candidate,
                                   const CaseKey& key);

}  // namespace stepbench::compare
