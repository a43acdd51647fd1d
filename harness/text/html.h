// SPDX-License-Identifier: Apache-2.0
// Escapes untrusted text for HTML; the only place that does. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "harness/text/printable.h"

namespace stepbench::text {

// For an element or a quoted attribute: printable(), with markup and both kinds of quotes escaped.
[[nodiscard]] std::string html_text(std::string_view text, LineEnds ends = LineEnds::kEscape);
// JSON for an element <script type="application/json">: the same values, without any sequence that
// ends the element, begins a comment or ends a line of JavaScript.
[[nodiscard]] std::string script_json(std::string_view json);

}  // namespace stepbench::text
