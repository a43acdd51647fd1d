// SPDX-License-Identifier: Apache-2.0
// Cases whose loader or step was measured alone (loader.alone): bounds on what both can reach
// together, not settings to choose from. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

// True for such a case, and for a result of 0.1 that replayed batches.
[[nodiscard]] bool is_standalone(const CaseRow& row);
// True for a timing row that is not an arm of a comparison.
[[nodiscard]] bool is_timed(const CaseRow& row);

// Such rows, indexed by the full case. The rows must outlive it.
class StandaloneCases {
 public:
  explicit StandaloneCases(const std::vector<CaseRow>& rows);
  // Returns the first row of the same case whose `part`, "loader" or "step", was measured alone;
  // null if there is none.
  [[nodiscard]] const CaseRow* find(const CaseRow& both, std::string_view part) const;

 private:
  std::map<std::string, const CaseRow*> by_case_;
};

}  // namespace stepbench::estimate
