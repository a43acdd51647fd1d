// SPDX-License-Identifier: Apache-2.0
// Facts that a reader of the table needs besides its numbers: failures, excluded steps, doubts; and
// how the numbers of a row were obtained: the clock, slow steps that the median hides, an uneven
// loader queue, windows without a whole epoch. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/estimate/case_rows.h"

namespace stepbench::report {

[[nodiscard]] std::vector<document::Paragraph> notes_of(const std::vector<estimate::CaseRow>& rows,
                                                        const record::Results& results);
// Adds notes on profiled launches: their slowdown, and reasons for failures. `rows`: those of the
// table.
void add_profile_notes(const std::vector<estimate::CaseRow>& profiled,
                       const std::vector<estimate::CaseRow>& rows, const record::Results& results,
                       std::vector<document::Paragraph>& notes);
// The smallest warm-up effect that the case's launches would show; empty if they show one, or would
// show 1 % of the step.
[[nodiscard]] std::string unseen_warmup(const estimate::CaseRow& row);

}  // namespace stepbench::report
