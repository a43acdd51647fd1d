// SPDX-License-Identifier: Apache-2.0
// The table for programs: one record per case, every estimate in base units.
#pragma once

#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench {

// Only the columns of `select`, in that order; all when it is empty. Throw ConfigError at --columns
// for an unknown one.
[[nodiscard]] std::string csv_of(const std::vector<CaseRow>& rows,
                                 const std::vector<std::string>& select);
[[nodiscard]] std::string json_of(const std::vector<CaseRow>& rows, const Results& results,
                                  const std::vector<std::string>& select);

}  // namespace stepbench
