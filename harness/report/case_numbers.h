// SPDX-License-Identifier: Apache-2.0
// The measurements of a case, as tables of its page. Pure; any thread.
#pragma once

#include <vector>

#include "harness/document/document.h"
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

}  // namespace stepbench::report
