// SPDX-License-Identifier: Apache-2.0
#include "harness/document/render.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <span>
#include <utility>

#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"

namespace stepbench::document {
namespace {

constexpr std::size_t kColumnsOnPaper = 16;
constexpr std::size_t kCellCharacters = 300;
constexpr std::size_t kTextCharacters = 4000;
constexpr std::size_t kVerbatimBytes = 200'000;

std::string class_attribute(std::string_view names) {
  return names.empty() ? "" : " class=\"" + std::string(names) + '"';
}

// For screen readers: colour alone must not carry the meaning.
std::string tone_word(Tone tone) {
  if (tone == Tone::kDoubt) return "<span class=\"unseen\">Doubt: </span>";
  if (tone == Tone::kBad) return "<span class=\"unseen\">Problem: </span>";
  return "";
}

std::string title_html(const std::string& title, const std::string& subtitle) {
  std::string text = subtitle.empty() ? title : title + "; " + subtitle;
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text::html_text(text);
}

// Links only to web addresses and to pages in the same folder.
std::string linked_html(const std::string& html, const std::string& link) {
  constexpr std::string_view kOfAPage =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  const bool web = link.starts_with("https://") || link.starts_with("http://");
  if (link.empty() || (!web && link.find_first_not_of(kOfAPage) != std::string::npos)) return html;
  return formatted("<a href=\"{}\">{}</a>", text::html_text(link), html);
}

std::string shortened_html(const std::string& text, std::size_t cells, text::LineEnds ends) {
  if (text.size() <= cells) return text::html_text(text, ends);
  return text::html_text(text::shortened(text::to_valid_utf8(text), cells), ends);
}

std::string sort_value(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string count_text(std::size_t n) {
  return text::with_separators(static_cast<std::int64_t>(n));
}

bool is_table(const Block& block) {
  const auto* table = std::get_if<Table>(&block);
  return table != nullptr && !table->rows.empty();
}

struct HtmlColumn {
  std::string head;
  bool number = false;
};

// Adds a head to the column of marks and of text in place of numbers, which has none on a terminal.
// Text may also be on the right.
std::vector<HtmlColumn> html_columns(const Table& table) {
  std::vector<HtmlColumn> columns;
  for (const Column& column : table.columns) {
    const std::size_t at = columns.size();
    columns.push_back({.head = column.full_head()});
    columns.back().number =
        !column.left && std::ranges::any_of(table.rows, [&](const TableRow& row) {
          return at < row.cells.size() && row.cells[at].value.has_value();
        });
  }
  const bool headless = std::ranges::all_of(columns, &std::string::empty, &HtmlColumn::head);
  if (!columns.empty() && columns.back().head.empty() && !headless) {
    columns.back().head = "note";
  } else if (!std::ranges::all_of(table.rows, &std::string::empty, &TableRow::instead)) {
    columns.push_back({.head = "note"});
  }
  return columns;
}

// Allows line breaks only in long text, not in numbers, dates and intervals ("+1.2 ms to +1.4 ms").
std::string cell_class(const HtmlColumn& column, std::string_view text) {
  constexpr std::size_t kShort = 16;
  constexpr std::size_t kInterval = 32;
  if (column.number) return "number";
  const bool interval = text.size() < kInterval && text.find_first_of("[+-") == 0;
  return text.size() > kShort && !interval ? "long" : "";
}

void append_cell(std::string& html, const HtmlColumn& column, const Cell& cell) {
  if (column.number && cell.value && std::isfinite(*cell.value)) {
    html += "<td data-v=\"" + sort_value(*cell.value) + '"';
  } else {
    html += "<td" + class_attribute(cell_class(column, cell.text));
  }
  html += '>';
  html +=
      linked_html(shortened_html(cell.text, kCellCharacters, text::LineEnds::kEscape), cell.link);
  html += "</td>";
}

void append_row(std::string& html, const std::vector<HtmlColumn>& columns, const TableRow& row) {
  html += "<tr" + class_attribute(name_of(row.tone)) + '>';
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool instead = i + 1 == columns.size() && !row.instead.empty();
    append_cell(html, columns[i],
                instead                ? Cell(row.instead)
                : i < row.cells.size() ? row.cells[i]
                                       : Cell(""));
  }
  html += "</tr>\n";
}

}  // namespace

HtmlChapters::HtmlChapters(std::string& html, AppendData append_data)
    : html_(html), append_data_(std::move(append_data)) {}

void HtmlChapters::add(const Chapter& chapter) {
  const std::string id = text::html_text(chapter.id);
  chapter_title_ = id + "-title";
  chapter_name_ = chapter.title;
  html_ += formatted("<section id=\"{}\" aria-labelledby=\"{}\">\n", id, chapter_title_);
  if (chapter.folded) html_ += "<details><summary>";
  html_ += formatted("<h2 id=\"{}\">{}</h2>", chapter_title_, text::html_text(chapter.title));
  html_ += chapter.folded ? "</summary>\n" : "\n";
  const std::span<const Block> blocks = chapter.blocks;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    table_follows_ = std::ranges::any_of(blocks.subspan(i), is_table);
    std::visit([this](const auto& block) { add(block); }, blocks[i]);
  }
  html_ += chapter.folded ? "</details>\n</section>\n" : "</section>\n";
}

void HtmlChapters::add(const Answer& answer) {
  if (answer.text.empty()) return;
  html_ +=
      formatted("<section id=\"answer\" aria-label=\"Answer\"{}>\n<p><strong>{}</strong></p>\n",
                class_attribute(name_of(answer.tone)), text::html_text(answer.text));
  if (const std::string doubts = doubts_line(answer); !doubts.empty()) {
    html_ += formatted("<p class=\"doubt\">{}</p>\n", text::html_text(doubts));
  }
  html_ += "</section>\n";
}

void HtmlChapters::add(const Paragraph& paragraph) {
  html_ +=
      formatted("<p{}>{}{}", class_attribute(name_of(paragraph.tone)), tone_word(paragraph.tone),
                shortened_html(paragraph.text, kTextCharacters, text::LineEnds::kKeep));
  for (const Line& line : paragraph.below) {
    html_ += "\n  " + linked_html(shortened_html(line.text, kTextCharacters, text::LineEnds::kKeep),
                                  line.link);
  }
  html_ += "</p>\n";
}

void HtmlChapters::add(const Heading& heading) {
  const bool already_shown = heading.title == chapter_name_ && heading.subtitle.empty();
  if (heading.title.empty() || already_shown) return;
  html_ += "<h3>" + title_html(heading.title, heading.subtitle) + "</h3>\n";
}

void HtmlChapters::add(const Figure& figure) {
  const std::string number = std::to_string(++figures_);
  const std::string id = "figure-" + number;
  if (figure.folded)
    html_ += formatted("<details><summary>{}</summary>\n", text::html_text(figure.title));
  html_ += "<figure id=\"" + id;
  // Do not repeat a title that is right above.
  const bool title_already_shown = figure.folded || figure.title == chapter_name_;
  html_ += formatted("\">\n<figcaption><h3{} id=\"{}-title\">{}</h3></figcaption>\n",
                     class_attribute(title_already_shown ? "unseen" : ""), id,
                     text::html_text(figure.title));
  if (append_data_) {
    html_ += formatted(
        "<div class=\"plot\" id=\"plot-{}\" data-figure=\"{}-data\" role=\"img\" "
        "aria-labelledby=\"{}-title\" aria-describedby=\"{}-alt\"></div>\n",
        number, id, id, id);
  }
  html_ += formatted("<p class=\"alt\" id=\"{}-alt\">{}</p>\n", id, text::html_text(figure.alt));
  if (!figure.note.empty())
    html_ += formatted("<p class=\"note\">{}</p>\n", text::html_text(figure.note));
  if (table_follows_) {
    html_ += formatted("<p class=\"note\"><a href=\"#table-{}\">The numbers as a table</a></p>\n",
                       tables_ + 1);
  }
  if (append_data_) append_data_(html_, id + "-data", figure.json);
  html_ += "</figure>\n";
  if (figure.folded) html_ += "</details>\n";
}

void HtmlChapters::add(const Table& table) {
  if (table.rows.empty()) return;
  const std::string id = formatted("table-{}", ++tables_);
  if (!table.title.empty()) {
    html_ +=
        formatted("<h3 id=\"{}-title\">{}</h3>\n", id, title_html(table.title, table.subtitle));
  }
  const std::size_t rows = std::min(table.rows.size(), kPageRows);
  if (rows < table.rows.size()) {
    html_ += formatted(
        "<p class=\"note\">The first {} of {} rows: sorting and the filter see these alone. All of "
        "them are in the data.</p>\n",
        count_text(rows), count_text(table.rows.size()));
  }
  const std::vector<HtmlColumn> columns = html_columns(table);
  const bool wide = columns.size() > kColumnsOnPaper;
  if (wide) {
    html_ += formatted(
        "<p class=\"note on-paper\">Too wide for paper: the page itself has this table of {} "
        "columns.</p>\n",
        columns.size());
  }
  html_ += formatted(
      "<div class=\"table-box{}\" role=\"region\" tabindex=\"0\" aria-labelledby=\"{}\">\n<table "
      "id=\"{}\">\n<thead><tr>",
      wide ? " wide" : "", table.title.empty() ? chapter_title_ : id + "-title", id);
  for (const HtmlColumn& column : columns) {
    html_ +=
        formatted("<th scope=\"col\"{}>{}</th>", class_attribute(column.number ? "number" : ""),
                  text::html_text(column.head));
  }
  html_ += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < rows; ++i) append_row(html_, columns, table.rows[i]);
  html_ += "</tbody></table></div>\n";
}

void HtmlChapters::add(const Verbatim& verbatim) {
  const bool cut = verbatim.text.size() > kVerbatimBytes;
  const std::string text =
      cut ? text::to_valid_utf8(verbatim.text.substr(0, kVerbatimBytes)) : verbatim.text;
  const std::string title = text::html_text(verbatim.title);
  html_ += verbatim.folded ? formatted("<details><summary>{}</summary>\n", title)
                           : "<h3>" + title + "</h3>\n";
  html_ +=
      formatted("<pre tabindex=\"0\">{}</pre>\n", text::html_text(text, text::LineEnds::kKeep));
  if (cut) {
    html_ += formatted("<p class=\"note\">The first {} of {} bytes.</p>\n",
                       count_text(kVerbatimBytes), count_text(verbatim.text.size()));
  }
  if (verbatim.folded) html_ += "</details>\n";
}

}  // namespace stepbench::document
