// SPDX-License-Identifier: Apache-2.0
// UTF-8: validation, width on a terminal, shortening. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::text {

// U+FFFD, replaces bytes that are not valid UTF-8.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// Length of the well-formed character at the front (RFC 3629); 0 if there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text);
// The character at the front of `text`, which must be well-formed.
[[nodiscard]] char32_t code_point(std::string_view text);
// Replaces each byte that is not valid UTF-8 by U+FFFD.
[[nodiscard]] std::string to_valid_utf8(std::string_view bytes);

// Width in terminal cells, one per code point.
[[nodiscard]] std::size_t width(std::string_view text);
// At most `cells` wide; a cut is marked by "…".
[[nodiscard]] std::string shortened(std::string_view text, std::size_t cells);
// Like shortened(), but cuts the middle: keeps the beginning and twice as much of the end.
[[nodiscard]] std::string shortened_inside(std::string_view text, std::size_t cells);
// Like shortened(), but cuts the beginning.
[[nodiscard]] std::string shortened_to_end(std::string_view text, std::size_t cells);
// `cut`: each of `whole`, cut to `cells`. Different texts that were cut alike are cut again, to
// show where they differ.
void keep_apart(std::span<const std::string> whole, std::size_t cells,
                std::vector<std::string>& cut);

}  // namespace stepbench::text
