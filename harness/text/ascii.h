// SPDX-License-Identifier: Apache-2.0
// Drawn text for terminals whose character set is not UTF-8. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace stepbench::text {

// Lines, bars and dots as the ASCII character that looks most like them, all other characters
// beyond ASCII as '?': each takes one cell, as before, so that columns stay aligned.
[[nodiscard]] std::string drawn_in_ascii(std::string_view text);

// What a locale's name says of its character set: "C", "POSIX" and "de_DE.ISO-8859-1" have no
// UTF-8. True for an empty name: nothing was said.
[[nodiscard]] bool has_utf8(std::string_view locale);

}  // namespace stepbench::text
