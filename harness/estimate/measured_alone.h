// SPDX-License-Identifier: Apache-2.0
// Cases whose loader or whose step was measured alone (loader.alone): bounds of what the two can
// reach together, and no settings that one can choose. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

// Whether it is one of those, or of a result of 0.1 that replayed batches.
[[nodiscard]] bool is_alone(const CaseRow& row);
// Measured for a time, and no arm.
[[nodiscard]] bool is_timed(const CaseRow& row);

// Those rows by the case that they are a part of. They must outlive it.
class AloneCases {
 public:
  explicit AloneCases(const std::vector<CaseRow>& rows);
  // Of the same case the first one whose `part`, "loader" or "step", was measured alone; null: none
  // was.
  [[nodiscard]] const CaseRow* find(const CaseRow& both, std::string_view part) const;

 private:
  std::map<std::string, const CaseRow*> by_case_;
};

}  // namespace stepbench::estimate
