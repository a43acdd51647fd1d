// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "harness/report/analysis_sections.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

class AnalysisPage {
 public:
  explicit AnalysisPage(const AnalysisStyle& style)
      : style_(style), columns_(static_cast<std::size_t>(std::max(style.columns, 20))) {}

  void line(const std::string& text) { text_ += wrap_hanging(printable(text), columns_) + '\n'; }
  void gap() { text_ += '\n'; }
  void section(const AnalysisSection& section) {
    gap();
    line(section.title + (section.window.empty() ? "" : "; window " + section.window));
    if (!section.grid.rows.empty()) {
      const DrawnGrid drawn = draw(section.grid, columns_, style_.colour);
      text_ += drawn.text;
      std::vector<std::string> heads = drawn.dropped;
      std::erase(heads, "");
      if (!heads.empty()) {
        line("no room for: " + join(heads) + " (a wider terminal or --format markdown has it)");
      }
    }
    for (const std::string& each : section.lines) line(each);
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  const AnalysisStyle& style_;
  std::size_t columns_;
  std::string text_;
};

}  // namespace

std::string analysis_text(const AnalysedTrace& analysed, const AnalysisStyle& style) {
  AnalysisPage page(style);
  page.line(headline_of(analysed));
  for (const std::string& line : integrity_lines(analysed)) page.line(line);
  page.section(step_section(analysed));
  page.gap();
  page.line("findings, by what could be won");
  for (const std::string& line : cause_lines(analysed)) page.line(line);
  for (const AnalysisSection& section : detail_sections(analysed, style.row_limit)) {
    page.section(section);
  }
  return page.take();
}

std::string analysis_markdown(const AnalysedTrace& analysed, const AnalysisStyle& style) {
  std::ostringstream out;
  out << "### " << printable(headline_of(analysed)) << "\n\n";
  for (const std::string& line : integrity_lines(analysed)) {
    out << "- " << markdown_line(line) << '\n';
  }
  const auto add = [&](const AnalysisSection& section) {
    out << "\n**" << markdown_line(section.title) << "**"
        << (section.window.empty() ? "" : " (window " + markdown_line(section.window) + ")")
        << "\n\n";
    if (!section.grid.rows.empty()) out << draw_markdown(section.grid) << '\n';
    for (const std::string& line : section.lines) out << "- " << markdown_line(line) << '\n';
  };
  add(step_section(analysed));
  out << "\n**findings, by what could be won**\n\n";
  for (const std::string& line : cause_lines(analysed)) {
    const bool below = line.starts_with("  ");
    out << (below ? "  - " : "- ") << markdown_line(below ? line.substr(2) : line) << '\n';
  }
  for (const AnalysisSection& section : detail_sections(analysed, style.row_limit)) add(section);
  return out.str();
}

}  // namespace stepbench
