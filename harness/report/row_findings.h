// SPDX-License-Identifier: Apache-2.0
// Findings derived from the rows of a run, independent of the worker. Pure.
#pragma once

#include <vector>

#include "harness/estimate/proposals.h"

namespace stepbench::report {

// Waiting for data in a worker without findings about its loader, and a precision that is slower
// than fp32 here.
[[nodiscard]] std::vector<Finding> row_findings(const estimate::CaseRow& row,
                                                const estimate::Proposals& proposals);

// Share of its time that it waits for data, excluding epoch borders, which are reported next to the
// table.
[[nodiscard]] double steady_wait_share(const estimate::CaseRow& row);

}  // namespace stepbench::report
