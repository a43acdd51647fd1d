// SPDX-License-Identifier: Apache-2.0
// What `stepbench analyze` says of one trace: where the time of a step went, what to do, and the
// tables behind it; as a document and as JSON ("stepbench.analysis"). Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/analyze/analysis.h"
#include "harness/document/document.h"
#include "harness/findings/finding.h"

namespace stepbench::report {

inline constexpr std::string_view kAnalysisSchema = "stepbench.analysis";
inline constexpr std::string_view kAnalysisVersion = "3.1.0";

// One trace with all that was found in it. The trace outlives it.
struct AnalysedTrace {
  const trace::Trace* trace = nullptr;
  std::string path = {};
  analyze::Analysis analysis = {};
  std::vector<Finding> findings = {};  // ranked
  std::optional<int> device = {};      // that the step's time is about; none: what stands for all
};

// What a terminal has room for: the answer, where the time of a step went, the findings, what took
// most time, and what is not known. `row_limit`: rows of each kind, 0: all.
[[nodiscard]] document::Document analysis_page(const AnalysedTrace& analysed,
                                               std::size_t row_limit);
// The same with all that is known of each, and the tables behind it.
[[nodiscard]] document::Document analysis_document(const AnalysedTrace& analysed,
                                                   std::size_t row_limit);
// An object of one line.
[[nodiscard]] std::string analysis_json(const AnalysedTrace& analysed, int exit_status);

}  // namespace stepbench::report
