// SPDX-License-Identifier: Apache-2.0
// Charts of traces: where the time of each step went, which rank of a job is the straggler, and
// what changed between two traces. They show the numbers of analysis_json, ranks_json and
// diff_json, which are in the page's data at the index `place`. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/report/result_tables.h"
#include "harness/report/trace_analysis.h"
#include "harness/traces/compare_traces.h"

namespace stepbench::report {

// nullopt for a trace without steps.
[[nodiscard]] std::optional<document::Chapter> trace_section(const AnalysedTrace& analysed,
                                                             std::size_t place,
                                                             const std::string& id);

// Own work and waiting time of a job's ranks, one step of all of them side by side, and which rank
// waits for which. Empty without ranks.
[[nodiscard]] std::vector<document::Figure> rank_figures(const traces::RankReport& report,
                                                         std::size_t place);

// nullopt if no rank waits.
[[nodiscard]] std::optional<document::Figure> waits_figure(const WaitMatrix& matrix);

// Changes of each part of a step, and of operators, kernels and calls. nullopt if there is nothing
// to compare.
[[nodiscard]] std::optional<document::Chapter> diff_section(const traces::TraceDiff& diff,
                                                            std::size_t place,
                                                            const std::string& id);

}  // namespace stepbench::report
