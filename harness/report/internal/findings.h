// SPDX-License-Identifier: Apache-2.0
// Conclusions from the launches of a case, and findings that follow from the rows of a run alone,
// compared with the other rows. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/ranking.h"

namespace stepbench::report {

struct CaseFinding {
  // Text of the launch with the (lower) median value, but with the table's number for the wait for
  // data.
  Finding finding = {};
  std::size_t launches = 0;  // number of launches with it
  // Answer of other rows to the proposal. If it was measured exactly, `finding` proposes nothing,
  // and its severity is `info`.
  std::optional<estimate::ProposalAnswer> answer = {};
  std::string answer_text = {};  // one line
  std::string arguments = {};    // to try the proposal; empty: nothing to try
};

// Findings shared by at least half of the measured launches, and those derived from the samples; by
// severity, then potential gain. For a smoke run only findings about wrong results.
[[nodiscard]] std::vector<CaseFinding> findings_of(const estimate::CaseRow& row,
                                                   const estimate::Proposals& proposals);

// For below a table: each kind of finding once, in the words of the worst case, with the cases that
// share it.
[[nodiscard]] std::vector<document::Paragraph> finding_paragraphs(
    const std::vector<estimate::CaseRow>& rows, const record::Results& results);
// For the page of one case, with evidence.
[[nodiscard]] std::vector<document::Paragraph> finding_paragraphs(
    const estimate::CaseRow& row, const estimate::Proposals& proposals);

}  // namespace stepbench::report
