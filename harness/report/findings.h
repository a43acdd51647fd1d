// SPDX-License-Identifier: Apache-2.0
// What the launches of a case conclude, gathered, and held against the other rows of the run.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/proposals.h"

namespace stepbench::report {

struct CaseFinding {
  Finding finding = {};  // in the words of the launch with the (lower) median value, but for what a
                         // case waits for data, which is the table's number
  std::size_t launches = 0;  // that have it
  // Of the rows to what it proposes. Where there is one for the very value, `finding` proposes
  // nothing; a severity that it had for what could be won is `info` then.
  std::optional<estimate::ProposalAnswer> answer = {};
  std::string answer_text = {};  // one line
  std::string arguments = {};    // to try what it proposes; empty: nothing to try
};

// Those that at least half of the measured launches have, and what the samples alone tell; ordered
// by severity, then by potential gain. Of a smoke run only what says that it went wrong.
[[nodiscard]] std::vector<CaseFinding> findings_of(const estimate::CaseRow& row,
                                                   const estimate::Proposals& proposals);

// For under a table: each kind of finding once, in the words of the case that has it worst, with
// the cases that share it.
[[nodiscard]] std::vector<document::Paragraph> finding_paragraphs(
    const std::vector<estimate::CaseRow>& rows, const record::Results& results);
// For a page of one case: with evidence.
[[nodiscard]] std::vector<document::Paragraph> finding_paragraphs(
    const estimate::CaseRow& row, const estimate::Proposals& proposals);

}  // namespace stepbench::report
