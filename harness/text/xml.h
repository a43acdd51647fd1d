// SPDX-License-Identifier: Apache-2.0
// Escapes untrusted text for XML 1.0. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace stepbench::text {

// For an element or an attribute in double quotes: printable() except for line ends, markup
// escaped, no characters that XML 1.0 forbids. Line ends are written as character references, so
// that attributes keep them.
[[nodiscard]] std::string xml_text(std::string_view text);

// The entity for a markup character in XML and HTML, such as "&amp;"; empty for other characters.
[[nodiscard]] std::string_view markup_reference(char c);

}  // namespace stepbench::text
