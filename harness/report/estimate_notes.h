// SPDX-License-Identifier: Apache-2.0
// Notes on how a row's numbers were obtained: the clock, slow steps that the median hides, an
// uneven loader queue, windows without a whole epoch.
#pragma once

#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::report {

[[nodiscard]] std::vector<std::string> estimate_notes(const estimate::CaseRow& row);

// One line each for the whole table; empty if there is nothing to note.
[[nodiscard]] std::string flagged_steps(const std::vector<estimate::CaseRow>& rows);
[[nodiscard]] std::string epoch_gaps(const std::vector<estimate::CaseRow>& rows);
// For process groups whose `scaling` compares them with a process with another number of threads.
[[nodiscard]] std::string scaled_threads(const std::vector<estimate::CaseRow>& rows);

}  // namespace stepbench::report
