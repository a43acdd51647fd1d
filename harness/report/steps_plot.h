// SPDX-License-Identifier: Apache-2.0
// The steps of one case over time, as `stepbench show --case ID --plot` prints them. Pure; any
// thread.
#pragma once

#include <string>

#include "harness/estimate/case_rows.h"
#include "harness/report/table.h"

namespace stepbench::report {

// Launches side by side in the order of their numbers, each with its windows; a column is one step
// or several: from the smallest to the largest, and the median. The row's percentiles are lines;
// steps with a flag are marked below and counted. Steps too long for the axis are marked at its top
// and counted. Where there is no room for all launches it says how many are left out.
[[nodiscard]] std::string render_steps(const estimate::CaseRow& row, const record::Results& results,
                                       const TableStyle& style);

}  // namespace stepbench::report
