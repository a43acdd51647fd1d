// SPDX-License-Identifier: Apache-2.0
#include "harness/report/analysis_page.h"
#include "harness/report/analysis_sections.h"

namespace stepbench::report {

AnalysisPage analysis_page(const AnalysedTrace& analysed, std::size_t row_limit) {
  AnalysisPage page{.headline = headline_of(analysed), .remarks = integrity_lines(analysed)};
  page.sections.push_back(step_section(analysed));
  page.sections.push_back(
      {.title = "findings, by what could be won", .lines = cause_lines(analysed)});
  for (AnalysisSection& section : detail_sections(analysed, row_limit)) {
    page.sections.push_back(std::move(section));
  }
  return page;
}

std::string analysis_text(const AnalysedTrace& analysed, const AnalysisStyle& style) {
  return page_text(analysis_page(analysed, style.row_limit), style);
}

std::string analysis_markdown(const AnalysedTrace& analysed, const AnalysisStyle& style) {
  return page_markdown(analysis_page(analysed, style.row_limit));
}

}  // namespace stepbench::report
