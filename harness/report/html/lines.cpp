// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/lines.h"

#include "harness/findings/finding.h"

namespace stepbench::report {

std::vector<document::Paragraph> paragraphs_of(
    const std::vector<std::string>& lines,
    const std::function<document::Tone(std::string_view)>& tone_of) {
  std::vector<document::Paragraph> paragraphs = document::paragraphs_of(lines);
  for (document::Paragraph& each : paragraphs) each.tone = tone_of(each.text);
  return paragraphs;
}

document::Tone tone_of_finding(std::string_view line) {
  if (line.starts_with(stepbench::name_of(Severity::kProblem))) return document::Tone::kBad;
  return line.starts_with(stepbench::name_of(Severity::kWarning)) ? document::Tone::kDoubt
                                                                  : document::Tone::kPlain;
}

}  // namespace stepbench::report
