// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/page_blocks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <variant>

#include "harness/record/pack.h"
#include "harness/text/base64.h"
#include "harness/text/html.h"
#include "harness/text/numbers.h"
#include "harness/text/utf8.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kColumnsOnPaper = 16;
constexpr std::size_t kCellCharacters = 300;
constexpr std::size_t kTextCharacters = 4000;
constexpr std::size_t kVerbatimBytes = 200'000;
constexpr std::size_t kPackedFrom = 2000;
constexpr int kQuickLevel = 5;  // packs by a tenth less than the default, in a third of the time

std::string class_of(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return "";
    case Tone::kGood:
      return "good";
    case Tone::kDoubt:
      return "doubt";
    case Tone::kBad:
      return "bad";
  }
  return "";
}

std::string class_attribute(const std::string& names) {
  return names.empty() ? "" : " class=\"" + names + '"';
}

// Colour must not be all that says it: whoever hears the page hears this.
std::string tone_word(Tone tone) {
  if (tone == Tone::kDoubt) return "<span class=\"unseen\">Doubt: </span>";
  if (tone == Tone::kBad) return "<span class=\"unseen\">Problem: </span>";
  return "";
}

std::string sort_value(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

bool has_choice(const Block& block) {
  const auto* figure = std::get_if<Figure>(&block);
  return figure != nullptr && !figure->choice.empty();
}

// The cell of a table; a long text in short.
void append_cell(std::string& html, const PageColumn& column, const PageCell& cell) {
  if (column.number && cell.value && std::isfinite(*cell.value)) {
    html += "<td data-v=\"" + sort_value(*cell.value) + '"';
  } else {
    html += column.number ? "<td class=\"number\"" : "<td";
  }
  html += '>';
  html += text::html_text(cell.text.size() > kCellCharacters
                              ? text::shortened(text::to_valid_utf8(cell.text), kCellCharacters)
                              : cell.text);
  html += "</td>";
}

}  // namespace

void append_data(std::string& html, std::string_view attributes, std::string_view json, bool pack) {
  html += "<script type=\"application/json\" ";
  html += attributes;
  if (pack && json.size() > kPackedFrom) {
    html += " data-encoding=\"gzip+base64\">";
    html += text::base64(record::gzip_text(json, kQuickLevel));
  } else {
    html += '>';
    html += text::script_json(json);
  }
  html += "</script>\n";
}

PageBlocks::PageBlocks(std::string& html, bool draws, bool compact)
    : html_(html), draws_(draws), compact_(compact) {}

void PageBlocks::add(const PageSection& section) {
  const std::string id = text::html_text(section.id);
  html_ += "<section id=\"" + id + "\" aria-labelledby=\"" + id + "-title\">\n<h2 id=\"" + id +
           "-title\">" + text::html_text(section.title) + "</h2>\n";
  for (std::size_t i = 0; i < section.blocks.size(); ++i) {
    const auto begin = section.blocks.begin() + static_cast<std::ptrdiff_t>(i);
    table_follows_ = std::any_of(begin, section.blocks.end(), [](const Block& block) {
      return std::holds_alternative<PageTable>(block);
    });
    const bool is_choice = has_choice(section.blocks[i]);
    if (is_choice && (i == 0 || !has_choice(section.blocks[i - 1]))) {
      html_ += "<div class=\"choice\">\n";
    }
    std::visit([this](const auto& block) { add(block); }, section.blocks[i]);
    if (is_choice && (i + 1 == section.blocks.size() || !has_choice(section.blocks[i + 1]))) {
      html_ += "</div>\n";
    }
  }
  html_ += "</section>\n";
}

void PageBlocks::add(const Paragraph& paragraph) {
  const std::string text =
      paragraph.text.size() > kTextCharacters
          ? text::shortened(text::to_valid_utf8(paragraph.text), kTextCharacters)
          : paragraph.text;
  html_ += "<p" + class_attribute(class_of(paragraph.tone)) + '>' + tone_word(paragraph.tone) +
           text::html_text(text, text::LineEnds::kKeep) + "</p>\n";
}

void PageBlocks::add(const Figure& figure) {
  const std::string number = std::to_string(++figures_);
  const std::string id = "figure-" + number;
  const bool folds = figure.folded && figure.choice.empty();
  if (folds) html_ += "<details><summary>" + text::html_text(figure.title) + "</summary>\n";
  html_ += "<figure id=\"" + id + '"';
  if (!figure.choice.empty()) html_ += " data-choice=\"" + text::html_text(figure.choice) + '"';
  html_ += ">\n<figcaption><h3 id=\"" + id + "-title\">" + text::html_text(figure.title) +
           "</h3></figcaption>\n";
  if (draws_) {
    const std::string height = std::to_string(figure.height_px);
    html_ += "<div class=\"plot\" id=\"plot-" + number + "\" data-figure=\"" + id +
             "-data\" data-height=\"" + height + "\" style=\"min-height:" + height +
             "px\" role=\"img\" aria-labelledby=\"" + id + "-title\" aria-describedby=\"" + id +
             "-alt\"></div>\n";
  }
  html_ += "<p class=\"alt\" id=\"" + id + "-alt\">" + text::html_text(figure.alt) + "</p>\n";
  if (!figure.note.empty()) html_ += "<p class=\"note\">" + text::html_text(figure.note) + "</p>\n";
  if (table_follows_) {
    html_ += "<p class=\"note\"><a href=\"#table-" + std::to_string(tables_ + 1) +
             "\">The numbers as a table</a></p>\n";
  }
  if (draws_) append_data(html_, "id=\"" + id + "-data\"", figure.json, compact_);
  html_ += "</figure>\n";
  if (folds) html_ += "</details>\n";
}

void PageBlocks::add(const PageTable& table) {
  const std::string id = "table-" + std::to_string(++tables_);
  html_ += "<h3 id=\"" + id + "-title\">" + text::html_text(table.title) + "</h3>\n";
  const std::size_t rows = std::min(table.rows.size(), kPageRows);
  if (rows < table.rows.size()) {
    const auto count = [](std::size_t n) {
      return text::with_separators(static_cast<std::int64_t>(n));
    };
    html_ += "<p class=\"note\">The first " + count(rows) + " of " + count(table.rows.size()) +
             " rows: sorting and the filter see these alone. All of them are in the data.</p>\n";
  }
  const bool wide = table.columns.size() > kColumnsOnPaper;
  if (wide) {
    html_ += "<p class=\"note on-paper\">Too wide for paper: the page itself has this table of " +
             std::to_string(table.columns.size()) + " columns.</p>\n";
  }
  html_ += std::string("<div class=\"table-box") + (wide ? " wide" : "") +
           "\" role=\"region\" tabindex=\"0\" aria-labelledby=\"" + id + "-title\">\n<table id=\"" +
           id + "\">\n<thead><tr>";
  for (const PageColumn& column : table.columns) {
    html_ += "<th scope=\"col\"" + class_attribute(column.number ? "number" : "") + '>' +
             text::html_text(column.head) + "</th>";
  }
  html_ += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < rows; ++i) {
    html_ += "<tr" + class_attribute(i < table.tones.size() ? class_of(table.tones[i]) : "") + '>';
    for (std::size_t k = 0; k < std::min(table.columns.size(), table.rows[i].size()); ++k) {
      append_cell(html_, table.columns[k], table.rows[i][k]);
    }
    html_ += "</tr>\n";
  }
  html_ += "</tbody></table></div>\n";
}

void PageBlocks::add(const Verbatim& verbatim) {
  const bool cut = verbatim.text.size() > kVerbatimBytes;
  const std::string text =
      cut ? text::to_valid_utf8(verbatim.text.substr(0, kVerbatimBytes)) : verbatim.text;
  const std::string title = text::html_text(verbatim.title);
  html_ +=
      verbatim.folded ? "<details><summary>" + title + "</summary>\n" : "<h3>" + title + "</h3>\n";
  html_ += "<pre tabindex=\"0\">" + text::html_text(text, text::LineEnds::kKeep) + "</pre>\n";
  if (cut) {
    html_ += "<p class=\"note\">The first " + text::with_separators(kVerbatimBytes) + " of " +
             text::with_separators(static_cast<std::int64_t>(verbatim.text.size())) +
             " bytes.</p>\n";
  }
  if (verbatim.folded) html_ += "</details>\n";
}

}  // namespace stepbench::report
