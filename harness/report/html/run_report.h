// SPDX-License-Identifier: Apache-2.0
// A run as a page, and several runs on one page: what was measured, which case is best, findings,
// every number, where and how it was measured. The chapters with charts are in run_sections.h.
// Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/report/case_table.h"

namespace stepbench::report {

// The best case and the doubts about it.
[[nodiscard]] document::Answer overview_answer(const TableFacts& facts);
// The table of cases and the notes.
[[nodiscard]] document::Chapter overview_section(const TableFacts& facts);
// nullopt if there are no findings.
[[nodiscard]] std::optional<document::Chapter> findings_section(const TableFacts& facts);
// All reported numbers of each case, in base units.
[[nodiscard]] std::optional<document::Chapter> numbers_section(const TableFacts& facts);
// `files`: arguments of the command that shows them.
[[nodiscard]] document::Chapter environment_section(const TableFacts& facts,
                                                    const std::vector<std::string>& files);

// One column per run. nullopt for a single run, or if the runs share no case.
[[nodiscard]] std::optional<document::Table> compared_runs_table(const TableFacts& facts);

}  // namespace stepbench::report
