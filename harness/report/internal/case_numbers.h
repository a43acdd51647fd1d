// SPDX-License-Identifier: Apache-2.0
// Tables on a case's page: the measurements of the case, and the lines of Python code in which
// loader workers spend their time. Pure; any thread.
#pragma once

#include <vector>

#include "harness/document/document.h"
#include "harness/document/table.h"
#include "harness/estimate/case_rows.h"

namespace stepbench::report {

// Requests, phases, launches.
[[nodiscard]] std::vector<document::Block> case_times(const estimate::CaseRow& row);
// Life-cycle times, memory, loader metrics: medians over the launches, in the units declared by the
// file.
[[nodiscard]] document::Table case_metrics(const estimate::CaseRow& row,
                                           const record::Results& results);
// Name without the unit, which the values show: "first_batch" for first_batch_ns.
[[nodiscard]] std::string display_name(const std::string& name);

// From the profiled launches of the row's case. Empty if they sampled no stacks.
[[nodiscard]] document::Table worker_lines(const estimate::CaseRow& row,
                                           const record::Results& results);

}  // namespace stepbench::report
