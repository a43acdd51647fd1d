// SPDX-License-Identifier: Apache-2.0
// Output of `stepbench analyze` for one trace: where the step's time went, what to do, and the
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

// A trace with its analysis and findings. The trace must outlive it.
struct AnalysedTrace {
  const trace::Trace* trace = nullptr;
  std::string path = {};
  analyze::Analysis analysis = {};
  std::vector<Finding> findings = {};  // ranked
  std::optional<int> device = {};      // of the step's time; nullopt: over all devices
};

// The short page for a terminal: the answer, where the step's time went, findings, largest items,
// and unknowns. `row_limit`: rows per kind, 0: all.
[[nodiscard]] document::Document analysis_page(const AnalysedTrace& analysed,
                                               std::size_t row_limit);
// The full version, with all details and tables.
[[nodiscard]] document::Document analysis_document(const AnalysedTrace& analysed,
                                                   std::size_t row_limit);
// A one-line object.
[[nodiscard]] std::string analysis_json(const AnalysedTrace& analysed, int exit_status);

}  // namespace stepbench::report
