// SPDX-License-Identifier: Apache-2.0
// What takes most time in a trace: kernels, operators and copies in one table. Pure; any thread.
#pragma once

#include <cstddef>

#include "harness/document/table.h"
#include "harness/report/analysis_report.h"

namespace stepbench::report {

// `row_limit` of each kind by their own time in the counted steps, 0: all. Without rows where none
// ran in them.
[[nodiscard]] document::Table largest_table(const AnalysedTrace& analysed, std::size_t row_limit);

}  // namespace stepbench::report
