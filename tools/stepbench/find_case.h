// SPDX-License-Identifier: Apache-2.0
// The case that --case names by its id or the id's first digits.
#pragma once

#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/record/reader.h"

namespace stepbench::cli {

// Its rows: a timed one for each arm and run, else those of its other passes. Throws ConfigError
// for --case where no case, or more than one, begins with `prefix`.
[[nodiscard]] std::vector<estimate::CaseRow> find_case(const std::vector<estimate::CaseRow>& rows,
                                                       const record::Results& results,
                                                       const std::string& prefix);

// Leaves nothing of other cases in `results`.
void keep_case(record::Results& results, const std::string& case_id);

}  // namespace stepbench::cli
