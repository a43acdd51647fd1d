// SPDX-License-Identifier: Apache-2.0
// Matches the cases of two results by the rules of case identity (harness/plan/identity.h). Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/compare/case_pairs.h"
#include "harness/compare/comparison.h"

namespace stepbench::campaign {

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
