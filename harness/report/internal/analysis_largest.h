// SPDX-License-Identifier: Apache-2.0
// The kernels, operators and copies that take most time in a trace, in one table. Pure; any thread.
#pragma once

#include <cstddef>

#include "harness/document/table.h"
#include "harness/report/analysis_report.h"

namespace stepbench::report {

// At most `row_limit` rows per kind (0: all), by self time in the counted steps. No rows if none
// ran in them.
[[nodiscard]] document::Table largest_table(const AnalysedTrace& analysed, std::size_t row_limit);

}  // namespace stepbench::report
