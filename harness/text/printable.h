// SPDX-License-Identifier: Apache-2.0
// Text of others (names of files, reasons of a worker, options, notes) on its way to a terminal, a
// Markdown page or a CSV file: it must not move a cursor, hide or turn round what stands beside it,
// end a row or begin one. Every text of a result goes through one of these. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stepbench::text {

enum class LineEnds : bool { kEscape, kKeep };

// Control characters, those that change the direction of writing, and those that take no room
// become visible: "\n", "\t", "\x1b", "\u202e". A byte that is no UTF-8 becomes U+FFFD.
[[nodiscard]] std::string printable(std::string_view text, LineEnds ends = LineEnds::kEscape);
// What printable() makes visible, at the front of `text`; its bytes, or 0.
[[nodiscard]] std::size_t unprintable_length(std::string_view text);

// A cell of a Markdown table: printable, without what could end it or be read as markup or HTML.
[[nodiscard]] std::string markdown_cell(std::string_view text);
// A line beside a Markdown table: printable, without HTML and links. Our own `code` stays.
[[nodiscard]] std::string markdown_line(std::string_view text);

}  // namespace stepbench::text
