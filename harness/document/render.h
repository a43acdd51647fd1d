// SPDX-License-Identifier: Apache-2.0
// Renders a document for a terminal, as Markdown or as HTML. All text becomes printable
// (harness/text/printable.h): it cannot end a row, begin a link or be read as markup. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/document/document.h"

namespace stepbench::document {

struct RenderStyle {
  bool markdown = false;
  bool colour = false;  // terminal only
  int columns = 100;    // terminal only; at least 20
};

[[nodiscard]] std::string render(const Document& document, const RenderStyle& style);

// A document and its tables on a terminal: the answer first, and last too on a long page.

// Lines of at most `columns` cells, except for longer words. A document that is moved in is not
// copied.
[[nodiscard]] std::string render_text(Document document, std::size_t columns, bool colour);

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

// A document as a comment on a pull request.

[[nodiscard]] std::string render_markdown(const Document& document);
// Without its title.
[[nodiscard]] std::string markdown_table(const Table& table);

// Chapters as HTML, for a page that supplies its own head, style and script. Figures and tables are
// numbered through the page as link targets. One thread.

// Rows beyond this are only in the page's data, not in its HTML.
inline constexpr std::size_t kPageRows = 2000;

// Appends JSON to `html` as an element with this id.
using AppendData =
    std::function<void(std::string& html, const std::string& id, std::string_view json)>;

class HtmlChapters {
 public:
  // `append_data` is for figures; empty: the page has no script for them and shows only their
  // words.
  HtmlChapters(std::string& html, AppendData append_data);

  void add(const Chapter& chapter);
  void add(const Answer& answer);

 private:
  void add(const Paragraph& paragraph);
  void add(const Heading& heading);
  void add(const Table& table);
  void add(const Verbatim& verbatim);
  void add(const Figure& figure);

  std::string& html_;
  AppendData append_data_;
  std::string chapter_title_;  // id of its element
  std::string chapter_name_ = {};
  std::size_t figures_ = 0;
  std::size_t tables_ = 0;
  bool table_follows_ = false;  // in this chapter, after the current block
};

}  // namespace stepbench::document
