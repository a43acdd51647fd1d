// SPDX-License-Identifier: Apache-2.0
// What `stepbench compare` does: reads results, matches their cases by the rules of identity
// (harness/plan/case_shape.h) and compares each result with the first.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/campaign/run_request.h"
#include "harness/catalogue/catalogue.h"
#include "harness/compare/case_pairs.h"
#include "harness/compare/comparison.h"

namespace stepbench::campaign {

struct CompareRequest : VerdictRequest {
  std::string base = {};  // result files or run folders
  std::vector<std::string> candidates = {};
  std::vector<std::string> ignore = {};
};

// Returns one comparison per candidate, in order. `catalogue` defines which options identify a
// case. Throws Error for user errors; names the first candidate that may not be compared.
[[nodiscard]] std::vector<compare::Comparison> compare_files(const CompareRequest& request,
                                                             const Catalogue& catalogue);

// Throws ConfigError if at least three results contain a file or folder twice, which would count
// twice in the correction. Exactly two equal results are an A/A check.
void refuse_given_twice(const CompareRequest& request);

// Makes `chosen`, one of the results by path or last path component, the base; the others keep
// their order. Throws ConfigError naming the nearest match for an unknown result.
void choose_base(const std::string& chosen, CompareRequest& request);

// Returns full names of the options given with --ignore: "loader.num_workers" for an unambiguous
// "num_workers". Throws ConfigError naming the nearest option if no case has it.
[[nodiscard]] std::vector<std::string> full_names(const std::vector<std::string>& ignored,
                                                  std::span<const record::Results* const> all);

// Identity of a case without some options. Options unknown to the catalogue, such as those of a
// user's own workload, are part of it unchanged.
[[nodiscard]] compare::CaseKey key_without(const std::vector<std::string>& ignored,
                                           const Catalogue& catalogue);

// For results without a common case: the options and values in which their most similar cases
// differ, and how to match them anyway. Examines only the first cases. Empty: no advice.
[[nodiscard]] std::string no_common_case_reason(const record::Results& base,
                                                const record::Results& candidate,
                                                const Catalogue& catalogue);

// For the first cases that only one side has: adds the most similar case of the other side.
// `others`: the results of that side.
void find_nearest(std::vector<compare::MissingCase>& missing, const record::Results& others,
                  const Catalogue& catalogue);

}  // namespace stepbench::campaign
