// SPDX-License-Identifier: Apache-2.0
// Findings that the rows of a run tell by themselves, whatever the worker said. Pure.
#pragma once

#include <vector>

#include "harness/estimate/proposals.h"

namespace stepbench::report {

// Waiting for data in a worker that has no findings about its loader, and a precision that is
// slower here than fp32.
[[nodiscard]] std::vector<Finding> row_findings(const estimate::CaseRow& row,
                                                const estimate::Proposals& proposals);

// What it waits for data of its time, without what borders of epochs cost: these are told beside
// the table.
[[nodiscard]] double steady_wait_share(const estimate::CaseRow& row);

}  // namespace stepbench::report
