// SPDX-License-Identifier: Apache-2.0
// Makes untrusted text (file names, reasons of a worker, options, notes) safe for a terminal,
// Markdown, CSV, HTML and XML 1.0: it must not move a cursor, hide or reverse its neighbours, end
// or begin a row, or be read as markup. Every text of a result passes through one of these. And
// UTF-8: validation, width on a terminal, shortening. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::text {

enum class LineEnds : bool { kEscape, kKeep };

// Escapes control characters, zero-width characters and those that change the writing direction: "
// ", "\t", "\x1b", "\u202e". Bytes that are not valid UTF-8 become U+FFFD.
[[nodiscard]] std::string printable(std::string_view text, LineEnds ends = LineEnds::kEscape);
// Length in bytes of the sequence at the front of `text` that printable() would escape; 0 if none.
[[nodiscard]] std::size_t unprintable_length(std::string_view text);

// A cell of a Markdown table: printable, with everything escaped that could end it or be read as
// markup or HTML.
[[nodiscard]] std::string markdown_cell(std::string_view text);
// A line outside of a Markdown table: printable, without HTML and links. Our own `code` stays.
[[nodiscard]] std::string markdown_line(std::string_view text);

// HTML; the only place that escapes for it.

// For an element or a quoted attribute: printable(), with markup and both kinds of quotes escaped.
[[nodiscard]] std::string html_text(std::string_view text, LineEnds ends = LineEnds::kEscape);
// JSON for an element <script type="application/json">: the same values, without any sequence that
// ends the element, begins a comment or ends a line of JavaScript.
[[nodiscard]] std::string script_json(std::string_view json);

// XML 1.0.

// For an element or an attribute in double quotes: printable() except for line ends, markup
// escaped, no characters that XML 1.0 forbids. Line ends are written as character references, so
// that attributes keep them.
[[nodiscard]] std::string xml_text(std::string_view text);

// The entity for a markup character in XML and HTML, such as "&amp;"; empty for other characters.
[[nodiscard]] std::string_view markup_reference(char c);

// UTF-8.

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
