// SPDX-License-Identifier: Apache-2.0
// Compares the estimates of several runs on one page, one row per case. Pure; any thread.
#pragma once

#include <optional>

#include "harness/document/document.h"
#include "harness/report/case_table.h"

namespace stepbench::report {

// One column per run. nullopt for a single run, or if the runs share no case.
[[nodiscard]] std::optional<document::Table> compared_runs_table(const TableFacts& facts);

}  // namespace stepbench::report
