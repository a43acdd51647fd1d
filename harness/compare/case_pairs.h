// SPDX-License-Identifier: Apache-2.0
// Which launches of two results belong together.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/record/reader.h"

namespace stepbench::compare {

// One of the two results, with the name under which the user gave it.
struct ComparisonSide {
  const record::Results* results = nullptr;
  std::string where;  // a path
};

// The launches of one case on one side. Points into the Results.
struct CaseLaunches {
  const record::LaunchRow* first = nullptr;  // for id, workload and options
  std::vector<const record::Launch*> measured = {};
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

// Cases with equal keys are joined. case_id, unless options are to be ignored.
using CaseKey = std::function<std::string(const record::LaunchRow&)>;

// Takes timed launches of rank 0. Throws ConfigError for what may not be compared: rows of --smoke,
// arms of an A/B campaign, a side with profiled or wrapped launches only, two cases of one side
// with the same key.
[[nodiscard]] CasePairs pair_cases(const ComparisonSide& base, const ComparisonSide& candidate,
                                   const CaseKey& key);

}  // namespace stepbench::compare
