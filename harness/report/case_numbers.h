// SPDX-License-Identifier: Apache-2.0
// What was measured of a case, as tables of its page. Pure; any thread.
#pragma once

#include <vector>

#include "harness/document/document.h"
#include "harness/estimate/case_rows.h"

namespace stepbench::report {

// Requests, phases, launches.
[[nodiscard]] std::vector<document::Block> case_times(const estimate::CaseRow& row);
// Life-cycle times, memory, loader metrics: medians over the launches, in units of the file's own
// columns.
[[nodiscard]] document::Table case_metrics(const estimate::CaseRow& row,
                                           const record::Results& results);
// Without the unit that its values say: "first_batch" of first_batch_ns.
[[nodiscard]] std::string display_name(const std::string& name);

}  // namespace stepbench::report
