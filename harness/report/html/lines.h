// SPDX-License-Identifier: Apache-2.0
// Lines that are said below a table on a terminal, as paragraphs of a page. Pure; any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/document/document.h"

namespace stepbench::report {

// A line that begins with a blank belongs to the one above; `tone_of` is told the whole.
[[nodiscard]] std::vector<document::Paragraph> paragraphs_of(
    const std::vector<std::string>& lines,
    const std::function<document::Tone(std::string_view)>& tone_of);

// By the severity that a finding's line begins with.
[[nodiscard]] document::Tone tone_of_finding(std::string_view line);

}  // namespace stepbench::report
