// SPDX-License-Identifier: Apache-2.0
// What `stepbench analyze` says of a job of several ranks: who holds the others up, and a row for
// each rank. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "harness/analyze/ranks.h"
#include "harness/document/document.h"

namespace stepbench::report {

// The chapters "ranks" and "traces", the files. `row_limit`: of the ranks, the slowest; 0: all.
[[nodiscard]] document::Document ranks_document(const analyze::RankReport& report,
                                                std::size_t row_limit);
// An object of one line: schema, version, `ranks`, `exit_code`.
[[nodiscard]] std::string ranks_json(const analyze::RankReport& report, int exit_status);

}  // namespace stepbench::report
