// SPDX-License-Identifier: Apache-2.0
#include "harness/document/document.h"

#include <algorithm>
#include <iterator>

namespace stepbench::document {

std::vector<Paragraph> paragraphs_of(const std::vector<std::string>& lines, Tone tone) {
  std::vector<Paragraph> paragraphs;
  for (const std::string& line : lines) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    if (begin > 0 && !paragraphs.empty()) {
      paragraphs.back().below.push_back(line.substr(begin));
    } else {
      paragraphs.push_back({.text = line, .tone = tone});
    }
  }
  return paragraphs;
}

void add_paragraphs(std::vector<Block>& blocks, const std::vector<std::string>& lines, Tone tone) {
  std::ranges::move(paragraphs_of(lines, tone), std::back_inserter(blocks));
}

}  // namespace stepbench::document
