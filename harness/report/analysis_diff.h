// SPDX-License-Identifier: Apache-2.0
// What `stepbench analyze NEW --diff BASE` prints: what cannot be compared, what the step's time
// did, and the operators, kernels, calls and findings that changed. Pure; any thread.
#pragma once

#include <string>

#include "harness/analyze/diff.h"
#include "harness/report/analysis_report.h"

namespace stepbench::report {

[[nodiscard]] std::string diff_text(const analyze::TraceDiff& diff, const AnalysisStyle& style);
[[nodiscard]] std::string diff_markdown(const analyze::TraceDiff& diff, const AnalysisStyle& style);
// An object of one line: schema, version, `diff`, `exit_code`.
[[nodiscard]] std::string diff_json(const analyze::TraceDiff& diff, int exit_status);

}  // namespace stepbench::report
