// SPDX-License-Identifier: Apache-2.0
// Compares the ranks of each case with a process group: host, step and its parts, waits for other
// ranks. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/estimate/case_rows.h"
#include "harness/report/rank_values.h"

namespace stepbench::report {

[[nodiscard]] document::Table ranks_table(const std::string& title, const RanksOfCase& ranks);
// Explains the numbers. `profiled`: mention waits.
[[nodiscard]] std::vector<std::string> ranks_words(bool profiled);

// A chapter with one table per case in `rows` with several ranks. Throws ConfigError if there is
// none.
[[nodiscard]] document::Document ranks_of_cases(const std::vector<estimate::CaseRow>& rows,
                                                const record::Results& results);

}  // namespace stepbench::report
