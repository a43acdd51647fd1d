// SPDX-License-Identifier: Apache-2.0
// The ranks of each case that was launched as a group, side by side: where each ran, its step and
// the parts of it, what it waited for others. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/estimate/case_rows.h"
#include "harness/report/rank_values.h"

namespace stepbench::report {

[[nodiscard]] document::Table ranks_table(const std::string& title, const RanksOfCase& ranks);
// What its numbers mean. `profiled`: it says who waits.
[[nodiscard]] std::vector<std::string> ranks_words(bool profiled);

// A chapter with a table for each case of `rows` that has several ranks. Throws ConfigError where
// none has.
[[nodiscard]] document::Document ranks_of_cases(const std::vector<estimate::CaseRow>& rows,
                                                const record::Results& results);

}  // namespace stepbench::report
