// SPDX-License-Identifier: Apache-2.0
// A document on a terminal: the answer first, and of a long page last too. What stands in it is
// made printable (printable.h). Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/document/document.h"

namespace stepbench::document {

// Lines of at most `columns` cells, where words are not longer than that.
[[nodiscard]] std::string render_text(const Document& document, std::size_t columns, bool colour);

struct DrawnTable {
  std::string text;
  std::vector<std::string> dropped;  // heads of columns for which there was no room
};
// The table alone, without its title.
[[nodiscard]] DrawnTable draw(Table table, std::size_t columns, bool colour);

// In the colour of what it means, where `colour` asks for any.
[[nodiscard]] std::string tinted(std::string text, Tone tone, bool colour);
// Rows as aligned columns without a rule, each column of numbers to the right. The first row is the
// head; every row has as many cells.
[[nodiscard]] std::string align(const std::vector<std::vector<std::string>>& rows);
// A bar of eighths of a cell, `cells` long at share 1.
[[nodiscard]] std::string bar(double share, std::size_t cells);

}  // namespace stepbench::document
