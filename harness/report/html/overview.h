// SPDX-License-Identifier: Apache-2.0
// The parts of a run's page that are words and tables: what was measured, what speaks against the
// numbers, which case is best; findings; every number; where and how it was measured. Pure; any
// thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/report/case_table.h"

namespace stepbench::report {

// Which case is best, and what is doubted of it.
[[nodiscard]] document::Answer overview_answer(const TableFacts& facts);
// The table of cases and the notes.
[[nodiscard]] document::Chapter overview_section(const TableFacts& facts);
// nullopt where there is nothing to say.
[[nodiscard]] std::optional<document::Chapter> findings_section(const TableFacts& facts);
// Every number that is reported of a case, in base units.
[[nodiscard]] std::optional<document::Chapter> numbers_section(const TableFacts& facts);
// `files`: of the command that shows them again.
[[nodiscard]] document::Chapter environment_section(const TableFacts& facts,
                                                    const std::vector<std::string>& files);

}  // namespace stepbench::report
