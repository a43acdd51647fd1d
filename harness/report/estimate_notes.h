// SPDX-License-Identifier: Apache-2.0
// What a reader must know of how a row's numbers came about: the clock, slow steps that the median
// does not see, a loader's queue that was not level, windows that hold no whole epoch.
#pragma once

#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::report {

[[nodiscard]] std::vector<std::string> estimate_notes(const estimate::CaseRow& row);

// One line each for the whole table; empty when there is nothing to say.
[[nodiscard]] std::string flagged_steps(const std::vector<estimate::CaseRow>& rows);
[[nodiscard]] std::string epoch_gaps(const std::vector<estimate::CaseRow>& rows);
// Of groups that `scaling` holds against one process which had other threads.
[[nodiscard]] std::string scaled_threads(const std::vector<estimate::CaseRow>& rows);

}  // namespace stepbench::report
