// SPDX-License-Identifier: Apache-2.0
// The page of one case, as `stepbench show --case ID` prints it. Pure; any thread.
#pragma once

#include <string>

#include "harness/estimate/case_rows.h"
#include "harness/report/table.h"

namespace stepbench::report {

// One case whole: options, launches, phases, life cycle, metrics, fingerprint, environment, doubts
// and failures.
[[nodiscard]] std::string render_case(const estimate::CaseRow& row, const record::Results& results,
                                      const TableStyle& style);

// Its first lines: which case, how many launches, the headline with its interval.
[[nodiscard]] std::string case_title(const estimate::CaseRow& row, const record::Results& results,
                                     const TableStyle& style);

}  // namespace stepbench::report
