// SPDX-License-Identifier: Apache-2.0
// Output of `stepbench analyze` for a job of several ranks: the straggler and one row per rank.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "harness/analyze/ranks.h"
#include "harness/document/document.h"

namespace stepbench::report {

// Chapters "ranks" and "traces" (the files). `row_limit`: number of ranks, slowest first; 0: all.
[[nodiscard]] document::Document ranks_document(const analyze::RankReport& report,
                                                std::size_t row_limit);
// A one-line object: schema, version, `ranks`, `exit_code`.
[[nodiscard]] std::string ranks_json(const analyze::RankReport& report, int exit_status);

}  // namespace stepbench::report
