// SPDX-License-Identifier: Apache-2.0
// Makes untrusted text (file names, error messages of a worker, options, notes) safe for a
// terminal, a Markdown page or a CSV file: it must not move the cursor, hide or reorder adjacent
// text, or end or begin a row. Every text of a result goes through one of these. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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

}  // namespace stepbench::text
