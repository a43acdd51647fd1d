// SPDX-License-Identifier: Apache-2.0
// What a reader of the table must know beside its numbers: failures whole, steps left out, doubts.
#pragma once

#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/estimate/case_rows.h"

namespace stepbench::report {

[[nodiscard]] std::vector<document::Paragraph> notes_of(const std::vector<estimate::CaseRow>& rows,
                                                        const record::Results& results);
// Adds what profiled launches have to say: how much slower they were, and why one failed. `rows`:
// those of the table.
void add_profile_notes(const std::vector<estimate::CaseRow>& profiled,
                       const std::vector<estimate::CaseRow>& rows, const record::Results& results,
                       std::vector<document::Paragraph>& notes);
// How small a warm-up the launches of the case would not show; empty where they show one, or would
// show 1 % of the step.
[[nodiscard]] std::string unseen_warmup(const estimate::CaseRow& row);

}  // namespace stepbench::report
