// SPDX-License-Identifier: Apache-2.0
#include "harness/report/analysis_page.h"

#include <algorithm>

#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::report {

std::string page_text(const AnalysisPage& page, const AnalysisStyle& style) {
  const auto columns = static_cast<std::size_t>(std::max(style.columns, 20));
  std::string text;
  const auto line = [&](const std::string& of) {
    text += text::wrap_hanging(text::printable(of), columns) + '\n';
  };
  line(page.headline);
  for (const std::string& remark : page.remarks) line(remark);
  for (const AnalysisSection& section : page.sections) {
    text += '\n';
    line(section.title + (section.window.empty() ? "" : "; window " + section.window));
    if (!section.grid.rows.empty()) {
      text::DrawnGrid drawn = text::draw(section.grid, columns, style.colour);
      text += drawn.text;
      std::erase(drawn.dropped, "");
      if (!drawn.dropped.empty()) {
        line("no room for: " + text::join(drawn.dropped) +
             " (a wider terminal or --format markdown has it)");
      }
    }
    for (const std::string& each : section.lines) line(each);
  }
  return text;
}

std::string page_markdown(const AnalysisPage& page) {
  std::string text = "### " + text::printable(page.headline) + "\n\n";
  const auto add_lines = [&](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      const bool below = line.starts_with("  ");
      text += (below ? "  - " : "- ") + text::markdown_line(below ? line.substr(2) : line) + '\n';
    }
  };
  add_lines(page.remarks);
  for (const AnalysisSection& section : page.sections) {
    text += "\n**" + text::markdown_line(section.title) + "**";
    if (!section.window.empty()) text += " (window " + text::markdown_line(section.window) + ')';
    text += "\n\n";
    if (!section.grid.rows.empty()) text += text::draw_markdown(section.grid) + '\n';
    add_lines(section.lines);
  }
  return text;
}

}  // namespace stepbench::report
