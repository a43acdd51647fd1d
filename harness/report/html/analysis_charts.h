// SPDX-License-Identifier: Apache-2.0
// The charts of traces: where the time of each step went, what the device did, which rank of a job
// holds the others up, what changed between two traces. They show the numbers of analysis_json,
// diff_json and ranks_json. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "harness/analyze/diff.h"
#include "harness/analyze/ranks.h"
#include "harness/document/document.h"
#include "harness/report/analysis_report.h"

namespace stepbench::report {

// nullopt for a trace without steps.
[[nodiscard]] std::optional<document::Chapter> trace_section(const AnalysedTrace& analysed,
                                                             const std::string& id);

// The parts of every step, stacked. nullopt without steps.
[[nodiscard]] std::optional<document::Figure> steps_figure(const AnalysedTrace& analysed);

// What the ranks of a job do of their own and how long they wait. nullopt without ranks.
[[nodiscard]] std::optional<document::Figure> ranks_figure(const analyze::RankReport& report);

// One step of all ranks side by side: own work, waiting, exchanging. nullopt without ranks.
[[nodiscard]] std::optional<document::Figure> lanes_figure(const analyze::RankReport& report);

// By how much each part of a step grew or shrank, and operators, kernels and calls. nullopt where
// there is nothing to set beside each other.
[[nodiscard]] std::optional<document::Chapter> diff_section(const analyze::TraceDiff& diff,
                                                            const std::string& id);

}  // namespace stepbench::report
