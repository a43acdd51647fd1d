// SPDX-License-Identifier: Apache-2.0
#include "harness/document/document.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "harness/text/words.h"

namespace stepbench::document {

std::string doubts_line(const Answer& answer) {
  constexpr std::size_t kShown = 3;
  if (answer.doubts.empty()) return {};
  const std::size_t shown = std::min(answer.doubts.size(), kShown);
  const std::size_t more = answer.doubts.size() - shown;
  return "doubts: " + text::join(std::span(answer.doubts).first(shown), "; ") +
         (more == 0 ? "" : "; " + std::to_string(more) + " more below");
}

void add_doubts(Answer& answer, const std::vector<Paragraph>& paragraphs) {
  for (const Paragraph& paragraph : paragraphs) {
    if (paragraph.doubt.empty()) continue;
    if (std::ranges::find(answer.doubts, paragraph.doubt) != answer.doubts.end()) continue;
    answer.doubts.push_back(paragraph.doubt);
  }
}

std::vector<Paragraph> paragraphs_of(const std::vector<std::string>& lines, Tone tone) {
  std::vector<Paragraph> paragraphs;
  for (const std::string& line : lines) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    if (begin > 0 && !paragraphs.empty()) {
      paragraphs.back().below.emplace_back(line.substr(begin));
    } else {
      paragraphs.push_back({.text = line, .tone = tone});
    }
  }
  return paragraphs;
}

std::vector<std::string> lines_of(const std::vector<Paragraph>& paragraphs) {
  std::vector<std::string> lines;
  for (const Paragraph& paragraph : paragraphs) {
    lines.push_back(paragraph.text);
    for (const Line& line : paragraph.below) lines.push_back("  " + line.text);
  }
  return lines;
}

void add_paragraphs(std::vector<Block>& blocks, const std::vector<std::string>& lines, Tone tone) {
  std::ranges::move(paragraphs_of(lines, tone), std::back_inserter(blocks));
}

void drop_if_empty(Table& table, std::size_t column) {
  const auto is_empty = [&](const TableRow& row) {
    return column >= row.cells.size() || row.cells[column].text.empty();
  };
  if (!std::ranges::all_of(table.rows, is_empty)) return;
  const auto at = static_cast<std::ptrdiff_t>(column);
  table.columns.erase(table.columns.begin() + at);
  for (TableRow& row : table.rows) {
    if (column < row.cells.size()) row.cells.erase(row.cells.begin() + at);
  }
}

}  // namespace stepbench::document
