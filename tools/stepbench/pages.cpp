// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/pages.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace stepbench::cli {
namespace {

struct HeadingLine {
  std::size_t at = 0;
  std::size_t level = 0;
  std::string words;
};

// Outside of code.
std::vector<HeadingLine> headings_of(std::string_view text) {
  std::vector<HeadingLine> found;
  bool code = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with("```")) code = !code;
    const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
    if (!code && level > 0 && level < line.size() && line[level] == ' ') {
      found.push_back({at, level, std::string(line.substr(level + 1))});
    }
    at = end + 1;
  }
  return found;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool has_all(std::string_view text, std::span<const std::string> words) {
  const std::string lower = in_lower_case(text);
  return std::ranges::all_of(words, [&](const std::string& word) {
    return lower.find(in_lower_case(word)) != std::string::npos;
  });
}

template <typename TextOf>
std::vector<PageSection> those_with(std::span<const PageSection> sections,
                                    std::span<const std::string> words, const TextOf& text_of) {
  std::vector<PageSection> found;
  std::ranges::copy_if(sections, std::back_inserter(found),
                       [&](const PageSection& each) { return has_all(text_of(each), words); });
  return found;
}

}  // namespace

const HelpPage* page_of(std::string_view topic) {
  const auto found = std::ranges::find(pages(), topic, &HelpPage::topic);
  return found == pages().end() ? nullptr : &*found;
}

std::vector<PageSection> sections_of(const HelpPage& page) {
  const std::vector<HeadingLine> headings = headings_of(page.text);
  std::vector<PageSection> sections;
  for (std::size_t i = 0; i < headings.size(); ++i) {
    std::size_t end = page.text.size();
    for (std::size_t next = i + 1; next < headings.size(); ++next) {
      if (headings[next].level > headings[i].level && headings[i].level > 1) continue;
      end = headings[next].at;
      break;
    }
    sections.push_back(
        {&page, headings[i].words, page.text.substr(headings[i].at, end - headings[i].at)});
  }
  return sections;
}

std::vector<PageSection> sections_with(std::span<const PageSection> sections,
                                       std::span<const std::string> words) {
  std::vector<PageSection> found = those_with(
      sections, words, [](const PageSection& each) { return std::string_view(each.heading); });
  if (!found.empty()) return found;
  return those_with(sections, words, [](const PageSection& each) { return each.text; });
}

}  // namespace stepbench::cli
