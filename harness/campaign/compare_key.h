// SPDX-License-Identifier: Apache-2.0
// What joins the cases of two results, by the rules of their identity (harness/plan/identity.h).
// Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/compare/case_pairs.h"
#include "harness/compare/comparison.h"

namespace stepbench::campaign {

// Full names for what the user gave with --ignore: "num_workers" for "loader.num_workers" while
// that is unambiguous. Throws ConfigError with the nearest name when no case has such an option.
[[nodiscard]] std::vector<std::string> full_names(const std::vector<std::string>& ignored,
                                                  std::span<const record::Results* const> all);

// The identity of a case without some options. Options that the catalogue does not know, those of a
// user's own workload, are part of it as they stand.
[[nodiscard]] compare::CaseKey key_without(const std::vector<std::string>& ignored,
                                           const Catalogue& catalogue);

// For results without a common case: the options in which their most similar cases differ, with
// both values, and how to join all the same. Looks at the first cases of each side; empty: nothing
// to say.
[[nodiscard]] std::string why_nothing_joins(const record::Results& base,
                                            const record::Results& candidate,
                                            const Catalogue& catalogue);

// Says of the first cases that only one side has which case of the other side is the most similar.
// `others`: the results of that side.
void find_nearest(std::vector<compare::MissingCase>& missing, const record::Results& others,
                  const Catalogue& catalogue);

}  // namespace stepbench::campaign
