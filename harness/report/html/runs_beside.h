// SPDX-License-Identifier: Apache-2.0
// Several runs on one page: their estimates beside each other, a row for each case. Pure; any
// thread.
#pragma once

#include <optional>

#include "harness/document/document.h"
#include "harness/report/case_table.h"

namespace stepbench::report {

// A column for each run. nullopt of one run, and where no case is in two.
[[nodiscard]] std::optional<document::Table> runs_beside(const TableFacts& facts);

}  // namespace stepbench::report
