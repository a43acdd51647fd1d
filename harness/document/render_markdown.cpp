// SPDX-License-Identifier: Apache-2.0
#include "harness/document/render.h"

#include <algorithm>
#include <cstddef>

#include "harness/base/format.h"
#include "harness/text/printable.h"

namespace stepbench::document {
namespace {

// Longer than any fence in the text, so that the text cannot close it.
std::string fence_of(const std::string& text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

class MarkdownPage {
 public:
  explicit MarkdownPage(std::string& text) : text_(text) {}

  void add(const Answer& answer) {
    if (answer.text.empty()) return;
    text_ += "**" + text::markdown_line(answer.text) + "**\n";
    if (const std::string doubts = doubts_line(answer); !doubts.empty()) {
      text_ += "\n" + text::markdown_line(doubts) + '\n';
    }
    gap();
  }

  void gap() {
    if (!text_.empty() && !text_.ends_with("\n\n")) text_ += '\n';
  }

  void add(const Paragraph& paragraph) {
    if (after_table_) gap();
    text_ += "- " + text::markdown_line(paragraph.text) + '\n';
    for (const Line& each : paragraph.below) {
      text_ += "  - " + text::markdown_line(each.text + (each.link.empty() ? "" : ' ' + each.link));
      text_ += '\n';
    }
    after_table_ = false;
  }

  void add(const Heading& heading) {
    gap();
    after_table_ = false;
    if (heading.title.empty()) return;
    text_ += "**" + text::markdown_line(heading.title) + "**";
    if (!heading.subtitle.empty()) text_ += " (" + text::markdown_line(heading.subtitle) + ')';
    text_ += "\n\n";
  }

  void add(const Table& table) {
    if (table.rows.empty()) return;
    add(Heading{.title = table.title, .subtitle = table.subtitle});
    text_ += markdown_table(table);
    after_table_ = true;
  }

  void add(const Verbatim& verbatim) {
    const std::string text = text::printable(verbatim.text, text::LineEnds::kKeep);
    const std::string fence = fence_of(text);
    gap();
    if (verbatim.folded) {
      text_ += formatted("<details><summary>{}</summary>\n\n", text::markdown_line(verbatim.title));
    } else {
      add(Heading{.title = verbatim.title});
    }
    text_ += formatted("{}\n{}{}{}\n", fence, text, text.ends_with('\n') ? "" : "\n", fence);
    if (verbatim.folded) text_ += "\n</details>\n";
    after_table_ = true;
  }

  void add(const Figure& figure) {
    if (!figure.in_text.empty()) {
      add(Verbatim{.title = figure.title, .text = figure.in_text});
      return;
    }
    add(Heading{.title = figure.title});
    add(Paragraph{.text = figure.alt});
  }

 private:
  std::string& text_;
  bool after_table_ = false;
};

}  // namespace

std::string markdown_table(const Table& table) {
  std::string text = "|";
  for (const Column& column : table.columns) {
    text += ' ' + text::markdown_cell(column.full_head()) + " |";
  }
  text += "\n|";
  for (const Column& column : table.columns) text += column.left ? "---|" : "---:|";
  text += '\n';
  for (const TableRow& row : table.rows) {
    text += '|';
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      std::string cell = i < row.cells.size() ? row.cells[i].text : "";
      if (i == row.cells.size()) cell = row.instead;
      text += ' ' + text::markdown_cell(cell) + " |";
    }
    text += '\n';
  }
  return text;
}

std::string render_markdown(const Document& document) {
  std::string text;
  if (!document.marker.empty()) text += "<!-- " + document.marker + " -->\n";
  if (!document.headline.empty()) {
    text += "### " + text::markdown_line(document.headline) + "\n\n";
  }
  MarkdownPage page(text);
  page.add(document.answer);
  for (const Chapter& chapter : document.chapters) {
    if (!chapter.blocks.empty() && &chapter != &document.chapters.front()) page.gap();
    for (const Block& block : chapter.blocks) {
      std::visit([&](const auto& each) { page.add(each); }, block);
    }
  }
  return text;
}

}  // namespace stepbench::document
