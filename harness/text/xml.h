// SPDX-License-Identifier: Apache-2.0
// Text of others inside XML 1.0. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace stepbench::text {

// For an element or an attribute in double quotes: printable() but for line ends, markup escaped,
// and nothing that XML 1.0 forbids. A line end is written as a character reference, so that an
// attribute keeps it.
[[nodiscard]] std::string xml_text(std::string_view text);

// "&amp;": what XML and HTML write in place of a character of markup; empty for any other one.
[[nodiscard]] std::string_view markup_reference(char c);

}  // namespace stepbench::text
