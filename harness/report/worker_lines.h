// SPDX-License-Identifier: Apache-2.0
// Where the Python code that reads a loader's batches spends its time, as a table of a case's page.
// Pure; any thread.
#pragma once

#include "harness/document/table.h"
#include "harness/estimate/case_rows.h"

namespace stepbench::report {

// Of the profiled launches of the row's case. No rows: they sampled no stacks.
[[nodiscard]] document::Table worker_lines(const estimate::CaseRow& row,
                                           const record::Results& results);

}  // namespace stepbench::report
