// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/lines.h"

#include <cctype>
#include <utility>

#include "harness/findings/finding.h"
#include "harness/report/html/grid_table.h"

namespace stepbench::report {

std::vector<Paragraph> paragraphs_of(const std::vector<std::string>& lines,
                                     const std::function<Tone(std::string_view)>& tone_of) {
  std::vector<Paragraph> paragraphs;
  for (const std::string& line : lines) {
    if (line.starts_with(' ') && !paragraphs.empty()) {
      paragraphs.back().text += '\n' + line;
    } else {
      paragraphs.push_back({.text = line});
    }
  }
  for (Paragraph& each : paragraphs) each.tone = tone_of(each.text);
  return paragraphs;
}

Tone plain_tone(std::string_view) { return Tone::kPlain; }

Tone tone_of_finding(std::string_view line) {
  if (line.starts_with(stepbench::name_of(Severity::kProblem))) return Tone::kBad;
  return line.starts_with(stepbench::name_of(Severity::kWarning)) ? Tone::kDoubt : Tone::kPlain;
}

void add_blocks(PageSection& section, const AnalysisSection& part,
                const std::function<Tone(std::string_view)>& tone_of) {
  std::string title = part.title + (part.window.empty() ? "" : "; window " + part.window);
  if (!title.empty()) {
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  }
  if (!part.grid.rows.empty()) {
    section.blocks.push_back(page_table(part.grid, title));
  } else if (!part.lines.empty()) {
    section.blocks.push_back(Paragraph{.text = title + ':'});
  }
  for (Paragraph& line : paragraphs_of(part.lines, tone_of)) {
    section.blocks.push_back(std::move(line));
  }
}

}  // namespace stepbench::report
