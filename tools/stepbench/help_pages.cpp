// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/help_pages.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "harness/base/error.h"
#include "harness/document/render_text.h"
#include "harness/text/words.h"
#include "tools/stepbench/pages.h"

namespace stepbench::cli {
namespace {

std::string title_of_page(const HelpPage& page) {
  const std::vector<PageSection> sections = sections_of(page);
  return sections.empty() ? std::string(page.file) : sections.front().heading;
}

std::string page_section_text(const PageSection& section) {
  std::string text(section.text);
  while (text.ends_with("\n\n")) text.pop_back();
  return text + "\n(" + std::string(section.page->file) + ", stepbench help " +
         std::string(section.page->topic) + ")\n";
}

// Of many where they stand, with the words that print one.
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
      throw ConfigError("help", std::string(page->file) + " has nothing about '" +
                                    text::join(words.subspan(1), " ") + "'; its sections are: " +
                                    text::join(sections, "; ", [](const PageSection& each) {
                                      return each.heading;
                                    }));
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
