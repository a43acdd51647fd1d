// SPDX-License-Identifier: Apache-2.0
// Text as UTF-8: what is valid, how wide it is on a terminal, where it may be cut. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stepbench::text {

// What takes the place of a byte that is no UTF-8: U+FFFD.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// Bytes of the well-formed character at the front (RFC 3629); 0 if there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text);
// The well-formed character at the front; `text` has one.
[[nodiscard]] char32_t code_point(std::string_view text);
// Each byte that is no UTF-8 becomes U+FFFD.
[[nodiscard]] std::string to_valid_utf8(std::string_view bytes);

// Terminal cells that the text takes, one for each code point.
[[nodiscard]] std::size_t width(std::string_view text);
// At most `cells` wide, the cut marked by "…".
[[nodiscard]] std::string shortened(std::string_view text, std::size_t cells);
// The same, cut out of its middle: the beginning and, twice as long, the end stay.
[[nodiscard]] std::string shortened_inside(std::string_view text, std::size_t cells);
// The same, cut at its beginning: the end stays.
[[nodiscard]] std::string shortened_to_end(std::string_view text, std::size_t cells);

}  // namespace stepbench::text
