// SPDX-License-Identifier: Apache-2.0
// Lines that are said below a table on a terminal, as paragraphs of a page. Pure; any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/analysis_sections.h"
#include "harness/report/html/section.h"

namespace stepbench::report {

// A line that begins with a blank belongs to the one above; `tone_of` is told the whole.
[[nodiscard]] std::vector<Paragraph> paragraphs_of(
    const std::vector<std::string>& lines, const std::function<Tone(std::string_view)>& tone_of);

[[nodiscard]] Tone plain_tone(std::string_view line);
// By the severity that a finding's line begins with.
[[nodiscard]] Tone tone_of_finding(std::string_view line);

// The table and the lines of a part of an analysis, below its title.
void add_blocks(PageSection& section, const AnalysisSection& part,
                const std::function<Tone(std::string_view)>& tone_of);

}  // namespace stepbench::report
