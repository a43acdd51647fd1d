// SPDX-License-Identifier: Apache-2.0
// Where the Python code that reads a loader's batches spends its time, as a table of a case's page.
// Pure; any thread.
#pragma once

#include "harness/estimate/case_rows.h"
#include "harness/text/grid.h"

namespace stepbench::report {

// Of the profiled launches of the row's case. No rows: they sampled no stacks.
[[nodiscard]] text::Grid worker_lines(const estimate::CaseRow& row, const record::Results& results);

}  // namespace stepbench::report
