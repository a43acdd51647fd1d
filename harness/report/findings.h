// SPDX-License-Identifier: Apache-2.0
// What the launches of a case conclude, gathered.
#pragma once

#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench {

struct CaseFinding {
  const Finding* finding = nullptr;  // of the launch with the (lower) median value
  std::size_t launches = 0;          // that have it
};

// Those that at least half of the measured launches have; ordered by severity, then
// by potential gain. Points into the results of `row`.
[[nodiscard]] std::vector<CaseFinding> findings_of(const CaseRow& row);

// For under a table: each kind of finding once, in the words of the case that has it worst, with
// the cases that share it. A line that starts with a blank belongs to the one above.
[[nodiscard]] std::vector<std::string> finding_lines(const std::vector<CaseRow>& rows,
                                                     const Results& results);
// For a page of one case: with evidence.
[[nodiscard]] std::vector<std::string> finding_lines(const CaseRow& row);

// "--set loader.num_workers=2 --set loader.prefetch_factor=4"; empty when there is nothing to set.
[[nodiscard]] std::string set_arguments(const Finding& finding);

}  // namespace stepbench
