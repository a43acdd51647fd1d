// SPDX-License-Identifier: Apache-2.0
// The charts of traces: where the time of each step went, which rank of a job holds the others up,
// what changed between two traces. They show the numbers of analysis_json, ranks_json and
// diff_json, which stand in the page's data at the place that each function is given. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/analyze/diff.h"
#include "harness/analyze/ranks.h"
#include "harness/document/document.h"
#include "harness/report/analysis_report.h"
#include "harness/report/wait_matrix.h"

namespace stepbench::report {

// nullopt for a trace without steps.
[[nodiscard]] std::optional<document::Chapter> trace_section(const AnalysedTrace& analysed,
                                                             std::size_t place,
                                                             const std::string& id);

// What the ranks of a job do of their own and how long they wait, one step of all of them side by
// side, who waits for whom. None without ranks.
[[nodiscard]] std::vector<document::Figure> rank_figures(const analyze::RankReport& report,
                                                         std::size_t place);

// nullopt where nobody waits.
[[nodiscard]] std::optional<document::Figure> waits_figure(const WaitMatrix& matrix);

// By how much each part of a step grew or shrank, and operators, kernels and calls. nullopt where
// there is nothing to set beside each other.
[[nodiscard]] std::optional<document::Chapter> diff_section(const analyze::TraceDiff& diff,
                                                            std::size_t place,
                                                            const std::string& id);

}  // namespace stepbench::report
