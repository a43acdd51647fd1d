// SPDX-License-Identifier: Apache-2.0
// What `stepbench analyze` prints of one trace: where the time of a step went, what to do, and the
// tables behind it; as a page, as Markdown and as JSON ("stepbench.analysis"). Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/analyze/analysis.h"
#include "harness/findings/finding.h"

namespace stepbench::report {

inline constexpr std::string_view kAnalysisSchema = "stepbench.analysis";
inline constexpr std::string_view kAnalysisVersion = "1.1.0";

// One trace with all that was found in it. The trace outlives it.
struct AnalysedTrace {
  const trace::Trace* trace = nullptr;
  std::string path = {};
  analyze::Analysis analysis = {};
  std::vector<Finding> findings = {};  // ranked
  std::optional<int> device = {};      // that the step's time is about; none: what stands for all
};

struct AnalysisStyle {
  bool colour = false;
  int columns = 100;
  std::size_t row_limit = 10;  // rows of each table; 0: all
};

[[nodiscard]] std::string analysis_text(const AnalysedTrace& analysed, const AnalysisStyle& style);
[[nodiscard]] std::string analysis_markdown(const AnalysedTrace& analysed,
                                            const AnalysisStyle& style);
// An object of one line.
[[nodiscard]] std::string analysis_json(const AnalysedTrace& analysed, int exit_status);

}  // namespace stepbench::report
