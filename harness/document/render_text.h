// SPDX-License-Identifier: Apache-2.0
// A document and its tables on a terminal: the answer first, and last too on a long page. All text
// is made printable (printable.h). Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/document/document.h"

namespace stepbench::document {

// Lines of at most `columns` cells, except for longer words.
[[nodiscard]] std::string render_text(const Document& document, std::size_t columns, bool colour);

struct DrawnTable {
  std::string text;
  std::vector<std::string> dropped;  // heads of the columns that did not fit
};
// Without its title.
[[nodiscard]] DrawnTable draw(Table table, std::size_t columns, bool colour);

// Adds the tone's colour if `colour` is set.
[[nodiscard]] std::string tinted(std::string text, Tone tone, bool colour);
// Aligns rows into columns without a rule, number columns to the right. The first row is the head;
// all rows have the same number of cells.
[[nodiscard]] std::string align(const std::vector<std::vector<std::string>>& rows);
// A bar in eighths of a cell; `cells` long at share 1.
[[nodiscard]] std::string bar(double share, std::size_t cells);

}  // namespace stepbench::document
