// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/internal/help_pages.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/document/render.h"
#include "harness/text/words.h"

namespace stepbench::cli {
namespace {

// A heading and everything below it up to the next heading of its level.
struct PageSection {
  const HelpPage* page = nullptr;
  std::string heading = {};  // without the '#' marks
  std::string_view text = {};
};

struct HeadingLine {
  std::size_t at = 0;
  std::size_t level = 0;
  std::string words;
};

// Finds headings outside of code blocks.
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
std::vector<PageSection> sections_containing(std::span<const PageSection> sections,
                                             std::span<const std::string> words,
                                             const TextOf& text_of) {
  std::vector<PageSection> found;
  std::ranges::copy_if(sections, std::back_inserter(found),
                       [&](const PageSection& each) { return has_all(text_of(each), words); });
  return found;
}

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

// Returns the sections with all words in their heading, or else in their text. Case-insensitive.
std::vector<PageSection> sections_with(std::span<const PageSection> sections,
                                       std::span<const std::string> words) {
  std::vector<PageSection> found = sections_containing(
      sections, words, [](const PageSection& each) { return std::string_view(each.heading); });
  if (!found.empty()) return found;
  return sections_containing(sections, words, [](const PageSection& each) { return each.text; });
}

std::string title_of_page(const HelpPage& page) {
  const std::vector<PageSection> sections = sections_of(page);
  return sections.empty() ? std::string(page.file) : sections.front().heading;
}

std::string page_section_text(const PageSection& section) {
  std::string text(section.text);
  while (text.ends_with("\n\n")) text.pop_back();
  return formatted("{}\n({}, stepbench help {})\n", text, section.page->file, section.page->topic);
}

// Prints up to three sections; for more, a list of where they are and how to print one.
std::string found_text(std::span<const PageSection> sections) {
  constexpr std::size_t kPrinted = 3;
  if (sections.size() <= kPrinted) return text::join(sections, "\n", page_section_text);
  std::vector<std::vector<std::string>> rows = {{"page", "section"}};
  for (const PageSection& each : sections) {
    rows.push_back({std::string(each.page->topic), each.heading});
  }
  return document::align(rows) + "\nstepbench help PAGE WORDS prints a section by words of it\n";
}

}  // namespace

std::string help_end(std::string_view command) {
  const auto found = std::ranges::find(help_ends(), command, &HelpEnd::command);
  return found == help_ends().end() ? std::string() : std::string(found->text);
}

std::vector<std::string> topic_names() {
  std::vector<std::string> names;
  for (const HelpPage& page : pages()) names.emplace_back(page.topic);
  return names;
}

std::string topics_text() {
  std::vector<std::vector<std::string>> rows = {{"topic", "page"}};
  for (const HelpPage& page : pages())
    rows.push_back({std::string(page.topic), title_of_page(page)});
  return document::align(rows) +
         "\nstepbench help TOPIC         prints the page\n"
         "stepbench help TOPIC WORDS   prints its sections with these words\n"
         "stepbench help WORDS         finds them in all pages\n";
}

std::string help_page(std::span<const std::string> words) {
  if (words.empty()) return {};
  if (words.front() == "topics") return topics_text();
  if (const HelpPage* page = page_of(words.front())) {
    if (words.size() == 1) return std::string(page->text);
    const std::vector<PageSection> sections = sections_of(*page);
    const std::vector<PageSection> found = sections_with(sections, words.subspan(1));
    if (found.empty()) {
      throw ConfigError("help", formatted("{} has no section about '{}'; sections: {}", page->file,
                                          text::join(words.subspan(1), " "),
                                          text::join(sections, "; ", [](const PageSection& each) {
                                            return each.heading;
                                          })));
    }
    return found_text(found);
  }
  std::vector<PageSection> all;
  for (const HelpPage& page : pages())
    std::ranges::move(sections_of(page), std::back_inserter(all));
  const std::vector<PageSection> found = sections_with(all, words);
  return found.empty() ? std::string() : found_text(found);
}

}  // namespace stepbench::cli
