// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/lines.h"

#include "harness/findings/finding.h"

namespace stepbench {

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

Tone tone_of_finding(std::string_view line) {
  if (line.starts_with(name_of(Severity::kProblem))) return Tone::kBad;
  return line.starts_with(name_of(Severity::kWarning)) ? Tone::kDoubt : Tone::kPlain;
}

}  // namespace stepbench
