// SPDX-License-Identifier: Apache-2.0
// The parts of an analysis' page, before somebody decides how to draw them. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/analysis_report.h"
#include "harness/text/grid.h"

namespace stepbench::report {

struct AnalysisSection {
  std::string title = {};
  std::string window = {};              // in which its numbers hold; empty: said elsewhere
  text::Grid grid = {};                 // perhaps without rows
  std::vector<std::string> lines = {};  // below it
};

// "host_step: from a ProfilerStep's start to the next one's"
[[nodiscard]] std::string words_of_window(analyze::WindowKind window);
// Of a part of step_parts(): "idle: loading data"; without a device the host is not idle meanwhile.
[[nodiscard]] std::string words_of_part(std::string_view part, analyze::IdleScope scope);
// "my.pt.trace.json.gz: 8 steps, 6 counted; 48,120 rows; 1 device (Tesla V100); rank 0 of 1"
[[nodiscard]] std::string headline_of(const AnalysedTrace& analysed);
// "integrity: ok", or each doubt in a line.
[[nodiscard]] std::vector<std::string> integrity_lines(const AnalysedTrace& analysed);
[[nodiscard]] AnalysisSection step_section(const AnalysedTrace& analysed);
[[nodiscard]] std::vector<std::string> cause_lines(const AnalysedTrace& analysed);
// Tables of all else that is known, then what is not, with the reason.
[[nodiscard]] std::vector<AnalysisSection> detail_sections(const AnalysedTrace& analysed,
                                                           std::size_t row_limit);

}  // namespace stepbench::report
