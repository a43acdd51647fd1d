// SPDX-License-Identifier: Apache-2.0
// A page about traces, drawn for a terminal or as Markdown. What stands in it is made printable.
// Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/analyze/diff.h"
#include "harness/report/analysis_sections.h"

namespace stepbench::report {

struct AnalysisPage {
  std::string headline = {};
  std::vector<std::string> remarks = {};  // below it
  std::vector<AnalysisSection> sections = {};
};

// Of one trace; `row_limit`: rows of each table, 0: all.
[[nodiscard]] AnalysisPage analysis_page(const AnalysedTrace& analysed, std::size_t row_limit);

[[nodiscard]] AnalysisPage diff_page(const analyze::TraceDiff& diff, std::size_t row_limit);

// Lines that begin with two blanks belong to the one above.
[[nodiscard]] std::string page_text(const AnalysisPage& page, const AnalysisStyle& style);
[[nodiscard]] std::string page_markdown(const AnalysisPage& page);

}  // namespace stepbench::report
