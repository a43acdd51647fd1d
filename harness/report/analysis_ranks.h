// SPDX-License-Identifier: Apache-2.0
// What `stepbench analyze` prints of a job of several ranks: who holds the others up, and a row for
// each rank. Pure; any thread.
#pragma once

#include <string>

#include "harness/analyze/ranks.h"
#include "harness/report/analysis_report.h"

namespace stepbench::report {

[[nodiscard]] std::string ranks_text(const analyze::RankReport& report, const AnalysisStyle& style);
[[nodiscard]] std::string ranks_markdown(const analyze::RankReport& report,
                                         const AnalysisStyle& style);
// An object of one line: schema, version, `ranks`, `exit_code`.
[[nodiscard]] std::string ranks_json(const analyze::RankReport& report, int exit_status);

}  // namespace stepbench::report
