// SPDX-License-Identifier: Apache-2.0
// Finds the case that --case names by its id or the first digits of it.
#pragma once

#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/record/reader.h"

namespace stepbench::cli {

// Returns its rows: a timed one for each arm and run, else those of its other passes. Throws
// ConfigError for --case unless exactly one case begins with `prefix`.
[[nodiscard]] std::vector<estimate::CaseRow> find_case(const std::vector<estimate::CaseRow>& rows,
                                                       const record::Results& results,
                                                       const std::string& prefix);

// Removes all other cases from `results`.
void keep_case(record::Results& results, const std::string& case_id);

}  // namespace stepbench::cli
