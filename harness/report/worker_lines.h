// SPDX-License-Identifier: Apache-2.0
// Table on a case's page with the lines of Python code in which loader workers spend their time.
// Pure; any thread.
#pragma once

#include "harness/document/table.h"
#include "harness/estimate/case_rows.h"

namespace stepbench::report {

// From the profiled launches of the row's case. Empty if they sampled no stacks.
[[nodiscard]] document::Table worker_lines(const estimate::CaseRow& row,
                                           const record::Results& results);

}  // namespace stepbench::report
